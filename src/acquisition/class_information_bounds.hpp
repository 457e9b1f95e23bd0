#pragma once

#include <vector>

#include "acquisition/information_shortcuts.hpp"
#include "numerics/kernels/table.hpp"

namespace acuity {

/// Bounds of MI(answer; f) in classification by math.md eq. (4.9), whose nodes do not depend on the point:
/// what is to be averaged is tabulated once, and a point needs only the normal density at some forty nodes.
class ClassInformationBounds : public InformationBounds {
 public:
  explicit ClassInformationBounds(const std::vector<FlipChannel>& channels);

  void at(const Marginals& belief, Index begin, Index end, double* low, double* high) const override;
  /// math.md eq. (4.10)
  double change(double mean, double variance) const override { return 1.2 * mean + 0.84 * variance; }

  /// Half the distance of the bounds. More than ten times the largest error that was found, 7e-11.
  static constexpr double margin = 1e-9;

 private:
  Index levels_;
  std::vector<double> values_;  // of the tables
  std::vector<numerics::NodeTable> tables_;
};

}  // namespace acuity
