#pragma once

namespace acuity {

/// The covariance of [f > T] for two draws of f at one point that are independent given an answer, the
/// expected fall of p (1 - p) there (math.md eq. (19.3)). `a`: how far the mean is from T, in standard
/// deviations; `rho`: the share of the variance that the answer takes away.
double contour_fall(double a, double rho, double one_minus_rho);
/// The same if rho leaves no doubt about 1 - rho.
inline double contour_fall(double a, double rho) {
  return contour_fall(a, rho, 1.0 - rho);
}

}  // namespace acuity
