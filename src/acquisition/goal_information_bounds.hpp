#pragma once

#include <vector>

#include "acquisition/information_shortcuts.hpp"

namespace acuity {

/// Bounds of the information about answers at a goal, in regression, for beliefs that have GoalShares
/// (docs/math.md eq. (13.8)).
class GoalInformationBounds final : public InformationBounds {
 public:
  /// The offer is kept by reference.
  GoalInformationBounds(const Offer& offer, std::span<const Index> levels);

  void at(const Marginals& belief, Index begin, Index end, double* low, double* high) const override;
  /// Nothing is known about that.
  double change(double mean, double variance) const override;

 private:
  const Offer& offer_;
  std::vector<double> added_;  // by level
  std::vector<int> biases_;
};

}  // namespace acuity
