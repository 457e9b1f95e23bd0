#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "acuity/study/study_learner.hpp"
#include "annotation/truth_table.hpp"

namespace acuity {

/// The amplitude to assume if the study does not state it and there are no answers: twice the standard
/// deviation of the noise of the least precise level, because that level is offered for some use.
double assumed_spread(const Study& study);

/// Draws truths from the prior or posterior of a study: f at every pool point or, for two classes, one class
/// per point, given f and the labels recorded there. For every level with bias the offset and the smooth
/// difference are drawn jointly with f, under the standard deviations of the model (docs/math.md 12.1).
/// If the study has a goal of its own, f is drawn there, too, jointly with the pool.
/// Factors the covariance of all points, so it is meant for small pools.
class PriorTruth {
 public:
  /// Of a goal with more points so many are used, evenly spaced.
  static constexpr Index most_goal_points = 300;

  /// Draws from the study's prior.
  explicit PriorTruth(const Study& study);
  /// Draws from the posterior given the observations of the model, which may be at places outside the study's
  /// pool; for classes, from the approximate posterior of expectation propagation.
  PriorTruth(const Study& study, const StudyModel& model);

  /// Determined by the study's seed and `number`.
  std::shared_ptr<const TruthTable> draw(std::uint32_t number) const;

 private:
  void take_goal(const Study& study);
  void take_levels(const Study& study, const Offer& offer);
  void take_belief(const Prior& prior, const Observations& seen);

  // A level with bias.
  struct BiasedLevel {
    std::string name;
    int bias = 0;  // its number, from 1 on
    Vector noise;  // of an answer, by pool row; empty: the one that the study declares
  };

  Points pool_, places_;  // places: those of the pool, then those of the goal that are not in it
  std::optional<TruthTable::AtGoal> goal_;  // without its truth
  std::vector<Index> goal_places_;          // by goal point
  Vector mean_;  // of f at all places; then of the error of every level with bias at all pool points
  Matrix root_;  // root_ * root_' is their covariance
  std::vector<BiasedLevel> levels_;
  // Classes: the probability of the labels recorded at a place, given that its class is +1 or -1.
  Vector labels_if_positive_, labels_if_negative_;
  std::uint64_t seed_;
  bool binary_;
};

}  // namespace acuity
