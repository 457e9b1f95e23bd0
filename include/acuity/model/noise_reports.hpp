#pragma once

#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/points.hpp"
#include "acuity/model/learn.hpp"

namespace acuity ACUITY_PUBLIC {

/// The noise variance that one answer reported, and the variances that the study declares for it.
struct NoiseReport {
  double reported = 0.0;  ///< the total, above 0
  double base = 0.0;      ///< sigma^2(x)
  double added = 0.0;     ///< what the level adds to it; base + added is above 0
  Index level = 0;        ///< whose factor scales `added`
};

/// The weight of a declared variance, in numbers of reports.
inline constexpr double declared_noise_weight = 2.0;

/// Factors on the declared variances, fitted to the reports (docs/math.md 11.4): one on sigma^2(x) and one
/// per level. Factors without any report stay 1.
NoiseScales scales_from_reports(const std::vector<NoiseReport>& reports, Index levels);

}  // namespace acuity ACUITY_PUBLIC
