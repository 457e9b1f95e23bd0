#pragma once

#include <memory>

#include "acuity/model/goal.hpp"
#include "model/ep_columns.hpp"
#include "model/goal_covariances.hpp"

namespace acuity {

/// The points of a goal under one posterior of expectation propagation.
class EpGoal {
 public:
  /// `points`: in the units of the pool.
  EpGoal(const EpPosterior& posterior, const Points& points);

  const Marginals& belief() const { return belief_; }
  /// Posterior covariances of the goal points (rows) with f at places (columns), which are scaled. `k`: prior
  /// covariances of the annotated points with these places.
  Matrix covariances(const Points& places, const Matrix& k) const;

 private:
  EpPosterior posterior_;
  Points points_;  // scaled
  EpColumns columns_;
  Marginals belief_;
};

/// Covariances given the answers, less the expected effect of pending labels (math.md 13.2).
class EpGoalCovariances final : public GoalCovariances {
 public:
  /// One column of `answered` per place. Pending label t takes off the product of row t of `of_places` and
  /// column t of `of_goal`.
  EpGoalCovariances(GoalBelief goal, std::shared_ptr<const Matrix> answered, Matrix of_places = {},
                    Matrix of_goal = {})
      : goal_(std::move(goal)),
        answered_(std::move(answered)),
        of_places_(std::move(of_places)),
        of_goal_(std::move(of_goal)) {}

  const Vector& weights() const override { return goal_.weights; }
  const Vector& mean() const override { return goal_.mean; }
  const Vector& variance() const override { return goal_.variance; }
  const Vector& noise() const override { return goal_.noise; }
  void at(Index point, int bias, double* out) const override;
  double weighted_squares(Index point, int bias) const override;

 private:
  GoalBelief goal_;
  std::shared_ptr<const Matrix> answered_;
  Matrix of_places_, of_goal_;
};

}  // namespace acuity
