#pragma once

#include <memory>
#include <optional>

#include "acuity/model/kernel.hpp"

namespace acuity {

/// The inverse of K + noise, and the logarithm of its determinant.
struct CovarianceInverse {
  Matrix inverse;
  double log_determinant = 0.0;
};

/// By r rows of a low-rank factor of K, for n r^2 + n^2 r operations instead of n^3 (math.md 6.5). Nothing
/// if r would be more than an eighth of n, or if the noise is so small that what the factor leaves
/// would show: the log determinant is right to 1e-7. `points` are scaled already.
std::optional<CovarianceInverse> low_rank_inverse(const std::shared_ptr<const Kernel>& kernel,
                                                  const Points& points, const Vector& noise);

}  // namespace acuity
