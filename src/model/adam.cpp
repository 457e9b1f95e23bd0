#include "model/adam.hpp"

#include <algorithm>
#include <cmath>

namespace acuity {

// math.md 2.6 and eq. (2.5), letter by letter.
AdamResult minimise_by_adam(const AdamObjective& objective, Vector theta, const AdamOptions& options) {
  AdamResult result;
  Vector m = Vector::Zero(theta.size()), v = m;
  auto [value, gradient] = objective(theta);
  for (int t = 1; t <= options.epochs; ++t) {
    const double largest_slope = gradient.cwiseAbs().maxCoeff();
    m = 0.9 * m + 0.1 * gradient;
    v = 0.999 * v + 0.001 * gradient.cwiseAbs2();
    const Vector m_hat = m / (1.0 - std::pow(0.9, t)), v_hat = v / (1.0 - std::pow(0.999, t));
    theta -= options.rate * (m_hat.array() / (v_hat.array().sqrt() + 1e-8)).matrix();
    const double before = value;
    std::tie(value, gradient) = objective(theta);
    result.epochs.push_back({theta, value});
    if (!std::isfinite(value)) {
      result.reason = "the likelihood is not finite";
      return result;
    }
    if (t < 2 || !options.tolerance) continue;
    const double scale = std::max({std::abs(before), std::abs(value), 1.0});
    if ((before - value) / scale <= *options.tolerance) {
      result.reason = "an epoch improved by no more than the tolerance";
      return result;
    }
    if (largest_slope <= 1e-5) {
      result.reason = "the gradient vanished";
      return result;
    }
  }
  result.reason = "the last epoch was reached";
  return result;
}

}  // namespace acuity
