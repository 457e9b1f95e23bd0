#include "numerics/entropy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace acuity::numerics {

double entropy_bits(double p, double q) {
  const double small = std::min(p, q);
  if (small <= 0.0) return 0.0;
  return -(small * std::log(small) + (1.0 - small) * std::log1p(-small)) / std::numbers::ln2;
}

// math.md eq. (4.4). The left form loses one digit if the gain is near 1, the right one loses all digits near
// 0.
double capacity_bits(double gain) {
  const double c = std::abs(gain);
  if (c < 0.5) return (std::log1p(-c * c) + 2.0 * c * std::atanh(c)) / (2.0 * std::numbers::ln2);
  return 1.0 - entropy_bits(0.5 * (1.0 - c), 0.5 * (1.0 + c));
}

double psi(double u) {
  return scaled_psi(1.0, u);
}

// math.md eq. (4.3)
double scaled_psi(double scale, double change) {
  if (!(scale >= std::numeric_limits<double>::min())) return 0.0;
  const double u = change / scale;
  if (std::abs(u) < 0.02) {
    double sum = 0.0;
    for (int k = 10; k >= 2; --k) sum = 1.0 / (k * (k - 1)) - u * sum;
    return change * u * sum;
  }
  if (u <= -1.0) return scale;
  return (scale + change) * std::log1p(u) - change;
}

// math.md eq. (4.4)
double taylor_curvature(double gain) {
  // Near 0 use the limit, because numerator and denominator both vanish.
  if (std::abs(gain) < 1e-8) return 2.0 / std::numbers::pi;
  return gain * gain / (std::numbers::pi * std::numbers::ln2 * capacity_bits(gain));
}

}  // namespace acuity::numerics
