#pragma once

#include "acuity/acquisition/information.hpp"
#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

/// What is looked for at the points of a goal.
struct Finding {
  enum class Sought { contour, maximum, minimum };
  Sought sought = Sought::maximum;
  double threshold = 0.0;  ///< of a contour

  bool is_contour() const { return sought == Sought::contour; }
  bool operator==(const Finding&) const = default;
};

/// The worth of an answer for the question where f is above a threshold, in regression: the expected fall of
/// the sum of w p (1 - p) over the goal (docs/math.md eq. (19.2)). The belief must have the goal: a
/// JointPoolBelief. All precisions of a continuous ladder at a time are not supported.
class ContourInformation final : public Information {
 public:
  /// On the scale of f.
  explicit ContourInformation(double threshold) : threshold_(threshold) {}

  std::string_view unit() const override { return "fall"; }
  void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
             std::span<const Index> levels, double* out) const override;
  double threshold() const { return threshold_; }

 private:
  double threshold_;
};

/// The worth of an answer for the question where f is highest, or lowest, in regression: by how much the best
/// posterior mean over the goal is expected to rise (docs/math.md eq. (20.1)). Goal points of weight 0 are
/// none. The belief must have the goal: a JointPoolBelief. All precisions of a continuous ladder at a time
/// are not supported.
class BestInformation final : public Information {
 public:
  enum class Best { highest, lowest };
  explicit BestInformation(Best best = Best::highest) : best_(best) {}

  std::string_view unit() const override { return "rise"; }
  void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
             std::span<const Index> levels, double* out) const override;
  Best best() const { return best_; }

 private:
  Best best_;
};

}  // namespace acuity ACUITY_PUBLIC
