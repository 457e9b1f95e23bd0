#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "acuity/model/goal.hpp"
#include "acuity/model/marginals.hpp"

namespace acuity {

/// What is known about f at the goal points, for the implementations of GoalCovariances.
struct GoalBelief {
  Vector weights, mean, variance, noise;
};

/// Covariances in matrices, one column per point.
class StoredGoalCovariances final : public GoalCovariances {
 public:
  /// covariances[b]: of answers with bias b.
  StoredGoalCovariances(GoalBelief goal, std::vector<Matrix> covariances)
      : goal_(std::move(goal)), covariances_(std::move(covariances)) {}

  const Vector& weights() const override { return goal_.weights; }
  const Vector& mean() const override { return goal_.mean; }
  const Vector& variance() const override { return goal_.variance; }
  const Vector& noise() const override { return goal_.noise; }
  void at(Index point, int bias, double* out) const override;
  double weighted_squares(Index point, int bias) const override;

 private:
  GoalBelief goal_;
  std::vector<Matrix> covariances_;
};

/// Some of the goal points, by weight: at most `most`, in the order of the goal. A point that several of the
/// equal steps through the weights fall on counts as often. Deterministic.
struct ThinnedGoal {
  std::vector<Index> points;
  Vector weights;  ///< their sum is 1
};
ThinnedGoal thin(const Vector& weights, Index most);

/// What is known at some of the goal points; their weights add up to 1 again.
GoalBelief some_of(const GoalBelief& all, const std::vector<Index>& points);

/// The points of the largest mean + 3 standard deviations, of -f if the lowest lead: at most `most`,
/// ascending; ties in their order (math.md 20.1).
std::vector<Index> leading_points(const Vector& mean, const Vector& variance, Index most, bool lowest);

/// Throws std::invalid_argument, which names `place`, if the goal has no points, other inputs than these, or
/// not one weight per point.
void check_goal(const Goal& goal, Index inputs, const char* place);

/// The marginals of these points, in this order.
Marginals some_of(const Marginals& all, std::span<const Index> points);
/// Marginals::earlier of these points.
std::map<Index, EarlierAnswers> earlier_of(const std::map<Index, EarlierAnswers>& all,
                                           std::span<const Index> points);

}  // namespace acuity
