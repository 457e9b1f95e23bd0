#include "acuity/acquisition/regression_information.hpp"

#include <algorithm>
#include <cmath>

namespace acuity {

namespace {

// math.md 4.1: log1p, because signal / noise may be tiny; 0/0 carries no information.
double half_log1p_ratio(double signal, double noise) {
  return signal > 0.0 ? 0.5 * std::log1p(signal / noise) : 0.0;
}

}  // namespace

// math.md eq. (4.1)
double model_information(double latent, double base, double added) {
  return half_log1p_ratio(latent, base + added);
}

double biased_information(double latent, double error_variance, double error_covariance, double noise) {
  if (error_variance == 0.0 && error_covariance == 0.0) return half_log1p_ratio(latent, noise);
  const double covariance = latent + error_covariance;
  if (!(latent > 0.0) || covariance == 0.0) return 0.0;
  const double rest = latent * (error_variance + noise) - error_covariance * error_covariance;
  return 0.5 * std::log1p(covariance / std::max(rest, 0.0) * covariance);
}

// math.md eq. (4.2)
double target_information_b(double latent, double base, double added) {
  return half_log1p_ratio(latent + base, added);
}

// math.md eq. (4.2)
double target_information_c(double latent, double base, double added) {
  if (base == 0.0) return model_information(latent, base, added);  // Y is f itself
  // In units of the latent variance, so that no product over- or underflows.
  const double n0 = base / latent, n = (base + added) / latent;
  return latent > 0.0 ? half_log1p_ratio(1.0, n + n0 + n * n0) : 0.0;
}

}  // namespace acuity
