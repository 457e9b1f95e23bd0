#pragma once

#include <vector>

#include "acuity/data/points.hpp"
#include "acuity/model/learn.hpp"

namespace acuity {

/// The noise that one answer reported of itself, and what was declared for it: variances.
struct NoiseReport {
  double reported = 0.0;  ///< the total, above 0
  double base = 0.0;      ///< sigma^2(x)
  double added = 0.0;     ///< what the level adds to it; base + added is above 0
  Index level = 0;        ///< the factor of `added` is that of this level
};

/// How many reports a declared variance counts as.
inline constexpr double declared_noise_weight = 2.0;

/// Factors on declared variances by which they fit the reports (docs/math.md 11.4): one on sigma^2(x), one
/// per level. Those about which no report says anything stay 1.
NoiseScales scales_from_reports(const std::vector<NoiseReport>& reports, Index levels);

}  // namespace acuity
