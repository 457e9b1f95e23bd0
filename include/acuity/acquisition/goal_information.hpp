#pragma once

#include "acuity/acquisition/information.hpp"
#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

/// What an answer should improve at the points of a goal (docs/math.md 13), on average by their weights.
enum class GoalCriterion {
  variance,   ///< the variance of f there; for classes p (1 - p) of the class probability
  prediction  ///< the information about an answer there (EPIG)
};

/// The worth of an answer for a goal in regression, levels with bias included. The belief must have the goal:
/// a JointPoolBelief.
class GoalInformation final : public Information {
 public:
  explicit GoalInformation(GoalCriterion criterion = GoalCriterion::variance) : criterion_(criterion) {}

  /// "variance": that by which the mean variance over the goal falls; or "nats".
  std::string_view unit() const override {
    return criterion_ == GoalCriterion::variance ? "variance" : "nats";
  }
  void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
             std::span<const Index> levels, double* out) const override;
  std::optional<BestPrecision> best_precision_at(const Marginals& belief, const Offer& offer, Index point,
                                                 const ContinuousPrecision& range,
                                                 double remaining) const override;
  GoalCriterion criterion() const { return criterion_; }

 private:
  GoalCriterion criterion_;
};

/// The worth of an answer for a goal in classification (docs/math.md 13.2). Levels are FlipChannels. The
/// belief must have the goal: an EpPoolBelief.
class ClassGoalInformation final : public Information {
 public:
  explicit ClassGoalInformation(GoalCriterion criterion = GoalCriterion::prediction)
      : criterion_(criterion) {}

  /// "variance": that by which the mean p (1 - p) over the goal is expected to fall; or "bits".
  std::string_view unit() const override {
    return criterion_ == GoalCriterion::variance ? "variance" : "bits";
  }
  void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
             std::span<const Index> levels, double* out) const override;
  std::optional<BestPrecision> best_precision_at(const Marginals& belief, const Offer& offer, Index point,
                                                 const ContinuousPrecision& range,
                                                 double remaining) const override;
  GoalCriterion criterion() const { return criterion_; }

 private:
  GoalCriterion criterion_;
};

}  // namespace acuity ACUITY_PUBLIC
