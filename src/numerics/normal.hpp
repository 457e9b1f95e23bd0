#pragma once

// The standard normal distribution, accurate relative to the value itself in both tails (math.md 3.3).

namespace acuity::numerics {

double normal_pdf(double x);
double normal_cdf(double x);
double normal_log_cdf(double x);

/// cdf(x + step) - cdf(x), without the cancellation of a small step.
double normal_cdf_difference(double x, double step);

/// The inverse Mills ratio M(x) = pdf(x) / cdf(x), and quantities that would suffer from cancellation if
/// computed from a rounded M.
struct MillsRatio {
  double mills = 0.0;
  double x_plus_mills = 0.0;   ///< x + M
  double rho = 0.0;            ///< M (x + M), minus the slope of M; between 0 and 1
  double one_minus_rho = 0.0;  ///< 1 - M (x + M)
};

MillsRatio mills_ratio(double x);

}  // namespace acuity::numerics
