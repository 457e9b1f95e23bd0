#include "numerics/stationary.hpp"

#include <Eigen/Core>
#include <cmath>
#include <vector>

namespace acuity::numerics {

namespace {

using Column = Eigen::Map<Eigen::ArrayXd>;

// Exponents are cut here: past negligible_exponent the covariance is zero, and zero times infinity would be
// no number.
constexpr double far = 400.0;

const double root3 = std::sqrt(3.0), root5 = std::sqrt(5.0);

// Beyond this exponent a covariance counts as zero. Far below any rounding that matters, and far enough from
// the smallest doubles that products of two such values are not denormal: those cost a factor of ten (math.md
// 9).
constexpr double negligible_exponent = -345.0;

Eigen::ArrayXd decay(const Eigen::ArrayXd& exponent) {
  return (exponent > negligible_exponent).select(exponent.max(negligible_exponent).exp(), 0.0);
}

// Calls apply(rho_squared, out column) for every column of the result. Differences, not the expanded square:
// near-duplicates keep their full accuracy.
template <typename Apply>
void for_each_column(const double* a, std::ptrdiff_t n, const double* b, std::ptrdiff_t m, std::ptrdiff_t d,
                     const double* inverse_lengthscale, double* out, const Apply& apply) {
  // By input, so that the inner loop runs over points, which lie side by side.
  std::vector<double> by_input(static_cast<std::size_t>(n * d));
  for (std::ptrdiff_t i = 0; i < n; ++i)
    for (std::ptrdiff_t k = 0; k < d; ++k) by_input[static_cast<std::size_t>(k * n + i)] = a[i * d + k];
  Eigen::ArrayXd rho_squared(n);
  for (std::ptrdiff_t j = 0; j < m; ++j) {
    rho_squared.setZero();
    for (std::ptrdiff_t k = 0; k < d; ++k) {
      const Column coordinate(by_input.data() + k * n, n);
      rho_squared += ((coordinate - b[j * d + k]) * inverse_lengthscale[k]).square();
    }
    apply(rho_squared, Column(out + j * n, n));
  }
}

}  // namespace

void covariance(Profile profile, double variance, const double* a, std::ptrdiff_t n, const double* b,
                std::ptrdiff_t m, std::ptrdiff_t d, const double* inverse_lengthscale, double* out) {
  for_each_column(a, n, b, m, d, inverse_lengthscale, out, [&](const Eigen::ArrayXd& rho_squared, Column k) {
    switch (profile) {
      case Profile::rbf:
        k = variance * decay(-0.5 * rho_squared);
        break;
      case Profile::matern32: {
        const Eigen::ArrayXd t = (root3 * rho_squared.sqrt()).min(far);
        k = variance * (1.0 + t) * decay(-t);
        break;
      }
      case Profile::matern52: {
        const Eigen::ArrayXd t = (root5 * rho_squared.sqrt()).min(far);
        k = variance * (1.0 + t + t.square() / 3.0) * decay(-t);
        break;
      }
    }
  });
}

void lengthscale_slope(Profile profile, double variance, const double* a, std::ptrdiff_t n, const double* b,
                       std::ptrdiff_t m, std::ptrdiff_t d, const double* inverse_lengthscale, double* out) {
  for_each_column(a, n, b, m, d, inverse_lengthscale, out, [&](const Eigen::ArrayXd& rho_squared, Column g) {
    switch (profile) {
      case Profile::rbf:
        g = variance * decay(-0.5 * rho_squared);
        break;
      case Profile::matern32:
        g = 3.0 * variance * decay(-root3 * rho_squared.sqrt());
        break;
      case Profile::matern52: {
        const Eigen::ArrayXd t = (root5 * rho_squared.sqrt()).min(far);
        g = (5.0 / 3.0) * variance * (1.0 + t) * decay(-t);
        break;
      }
    }
  });
}

}  // namespace acuity::numerics
