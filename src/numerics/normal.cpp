#include "numerics/normal.hpp"

#include <cmath>
#include <numbers>

namespace acuity::numerics {

namespace {

constexpr double inverse_root_two_pi = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
const double half_log_two_pi = 0.5 * std::log(2.0 * std::numbers::pi);

// Below this the continued fraction is used instead of erfc.
constexpr double tail = -4.0;
constexpr int terms = 40;  // full double accuracy from 4 on

struct ContinuedFraction {
  double first, second;
};

// math.md 3.3: f_k = k / (t + f_{k+1}), from the far end; the first two are all that is needed.
ContinuedFraction continued_fraction(double t) {
  double f = 0.0;
  for (int k = terms; k > 2; --k) f = k / (t + f);
  const double second = 2.0 / (t + f);
  return {.first = 1.0 / (t + second), .second = second};
}

}  // namespace

double normal_pdf(double x) {
  return inverse_root_two_pi * std::exp(-0.5 * x * x);
}

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

double normal_log_cdf(double x) {
  if (x > 0.0) return std::log1p(-normal_cdf(-x));
  if (x >= tail) return std::log(normal_cdf(x));
  const double t = -x;
  return -0.5 * t * t - half_log_two_pi - std::log(t + continued_fraction(t).first);
}

double normal_cdf_difference(double x, double step) {
  // A long step: the difference of those tails that are small at x, which leaves most of their digits.
  if (std::abs(step) * (1.0 + std::abs(x)) >= 0.25)
    return x > 0.0 ? normal_cdf(-x) - normal_cdf(-x - step) : normal_cdf(x + step) - normal_cdf(x);
  // Taylor's series, pdf(x) step sum_n a_n / (n + 1) with a_n = (-step)^n He_n(x) / n!, by the recurrence of
  // the Hermite polynomials. For steps this short sixteen terms leave less than the last bit.
  double before = 0.0, term = 1.0, sum = 1.0;
  for (int n = 1; n <= 16; ++n) {
    const double next = -step * (x * term + step * before) / n;
    before = term;
    term = next;
    sum += term / (n + 1);
  }
  return normal_pdf(x) * step * sum;
}

// math.md 3.3. In the tail M is only slightly larger than -x, so x + M and 1 - rho are computed from the
// continued fraction directly.
MillsRatio mills_ratio(double x) {
  if (x >= tail) {
    const double mills = normal_pdf(x) / normal_cdf(x), sum = x + mills;
    const double rho = mills > 0.0 ? mills * sum : 0.0;  // 0 also at infinity
    return {.mills = mills, .x_plus_mills = sum, .rho = rho, .one_minus_rho = 1.0 - rho};
  }
  const double t = -x;
  const auto [first, second] = continued_fraction(t);
  const double one_minus_rho = (second - first) / (t + second);
  return {.mills = t + first,
          .x_plus_mills = first,
          .rho = 1.0 - one_minus_rho,  // at most a twentieth is subtracted, so no accuracy is lost
          .one_minus_rho = one_minus_rho};
}

}  // namespace acuity::numerics
