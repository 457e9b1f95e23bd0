#pragma once

#include <algorithm>
#include <vector>

#include "numerics/kernels/profiles.hpp"

namespace acuity::numerics {
namespace {

// Points by input, padded with zeros to whole vectors: the inner loops run over points, which then lie side
// by side.
template <typename Real>
class ByInput {
 public:
  ByInput(const Real* x, std::ptrdiff_t n, std::ptrdiff_t d)
      : padded_((n + lanes<Real> - 1) / lanes<Real> * lanes<Real>),
        values_(static_cast<std::size_t>(padded_ * d), Real(0)) {
    for (std::ptrdiff_t i = 0; i < n; ++i)
      for (std::ptrdiff_t k = 0; k < d; ++k)
        values_[static_cast<std::size_t>(k * padded_ + i)] = x[i * d + k];
  }
  const Real* input(std::ptrdiff_t k) const { return values_.data() + k * padded_; }

 private:
  std::ptrdiff_t padded_;
  std::vector<Real> values_;
};

// |a_i - y|^2 for a whole vector of i. Differences, not the expanded square: near-duplicates keep their full
// accuracy.
template <typename Real>
inline VectorOf<Real> squared_distance(const ByInput<Real>& a, std::ptrdiff_t i, const Real* y,
                                       std::ptrdiff_t d, const Real* inverse_lengthscale) {
  VectorOf<Real> sum{};
  for (std::ptrdiff_t k = 0; k < d; ++k) {
    const VectorOf<Real> difference = (load<Real>(a.input(k) + i) - y[k]) * inverse_lengthscale[k];
    sum += difference * difference;
  }
  return sum;
}

// Column j of the covariances, from row `from` on: that of a point with those by input. Several vectors at a
// time do not wait for each other's roots and exponentials.
template <Profile kind, typename Real>
inline void covariance_column(Real variance, const ByInput<Real>& left, std::ptrdiff_t from, std::ptrdiff_t n,
                              const Real* y, std::ptrdiff_t d, const Real* inverse_lengthscale, Real* out) {
  constexpr std::ptrdiff_t together = 4;
  std::ptrdiff_t i = from;
  for (; i + together * lanes<Real> <= n; i += together * lanes<Real>) {
    VectorOf<Real> k[together];
    for (std::ptrdiff_t s = 0; s < together; ++s)
      k[s] = squared_distance<Real>(left, i + s * lanes<Real>, y, d, inverse_lengthscale);
    for (std::ptrdiff_t s = 0; s < together; ++s) k[s] = variance * covariance_at<kind, Real>(k[s]);
    for (std::ptrdiff_t s = 0; s < together; ++s) store<Real>(out + i + s * lanes<Real>, k[s]);
  }
  for (; i < n; i += lanes<Real>) {
    const VectorOf<Real> k =
        variance * covariance_at<kind, Real>(squared_distance<Real>(left, i, y, d, inverse_lengthscale));
    const std::ptrdiff_t left_over = n - i < lanes<Real> ? n - i : lanes<Real>;
    std::memcpy(out + i, &k, static_cast<std::size_t>(left_over) * sizeof(Real));
  }
}

template <typename Real>
void covariance(Profile profile, Real variance, const Real* a, std::ptrdiff_t n, const Real* b,
                std::ptrdiff_t m, std::ptrdiff_t d, const Real* inverse_lengthscale, Real* out) {
  const ByInput<Real> left(a, n, d);
  with_profile(profile, [&]<Profile kind>() {
    for (std::ptrdiff_t j = 0; j < m; ++j)
      covariance_column<kind, Real>(variance, left, 0, n, b + j * d, d, inverse_lengthscale, out + j * n);
  });
}

void scale_where_different(const double* codes, std::ptrdiff_t n, double code, double similarity,
                           double* out) {
  using V = VectorOf<double>;
  const V same = all<double>(code), ones = all<double>(1.0), factor = all<double>(similarity);
  std::ptrdiff_t i = 0;
  for (; i + lanes<double> <= n; i += lanes<double>)
    store<double>(out + i, load<double>(out + i) * (load<double>(codes + i) == same ? ones : factor));
  for (; i < n; ++i) out[i] *= codes[i] == code ? 1.0 : similarity;
}

// Square by square: rows of one and columns of the other stay in the cache.
void mirror_lower(double* matrix, std::ptrdiff_t n) {
  constexpr std::ptrdiff_t side = 32;
  for (std::ptrdiff_t left = 0; left < n; left += side)
    for (std::ptrdiff_t top = left; top < n; top += side)
      for (std::ptrdiff_t j = left; j < std::min(left + side, n); ++j)
        for (std::ptrdiff_t i = std::max(top, j + 1); i < std::min(top + side, n); ++i)
          matrix[i * n + j] = matrix[j * n + i];
}

// Half the work: differences, and with them covariances, are the same to the bit either way round.
void self_covariance(Profile profile, double variance, const double* a, std::ptrdiff_t n, std::ptrdiff_t d,
                     const double* inverse_lengthscale, double* out) {
  const ByInput<double> points(a, n, d);
  with_profile(profile, [&]<Profile kind>() {
    for (std::ptrdiff_t j = 0; j < n; ++j)
      covariance_column<kind, double>(variance, points, j / lanes<double> * lanes<double>, n, a + j * d, d,
                                      inverse_lengthscale, out + j * n);
  });
  mirror_lower(out, n);
}

// The weights are symmetric, so pairs i > j count twice and the diagonal, where no distance is, once.
void weighted_gradient(Profile profile, double variance, const double* x, std::ptrdiff_t n, std::ptrdiff_t d,
                       const double* inverse_lengthscale, const double* weights, double* gradient) {
  using V = VectorOf<double>;
  const ByInput<double> points(x, n, d);
  std::vector<V> sums(static_cast<std::size_t>(d), V{});
  V amplitude{};
  double diagonal = 0.0;
  with_profile(profile, [&]<Profile kind>() {
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      const double* y = x + j * d;
      diagonal += weights[j * n + j];
      for (std::ptrdiff_t i = (j + 1) / lanes<double> * lanes<double>; i < n; i += lanes<double>) {
        V w{};
        for (std::ptrdiff_t lane = 0; lane < lanes<double>; ++lane)
          if (i + lane > j && i + lane < n) w[lane] = weights[j * n + i + lane];
        if (i > j && i + lanes<double> <= n) w = load<double>(weights + j * n + i);
        const V rho_squared = squared_distance<double>(points, i, y, d, inverse_lengthscale);
        const V slope = w * slope_at<kind, double>(rho_squared);
        if constexpr (kind == Profile::rbf)
          amplitude += slope;
        else
          amplitude += w * covariance_at<kind, double>(rho_squared);
        for (std::ptrdiff_t k = 0; k < d; ++k) {
          const V difference = (load<double>(points.input(k) + i) - y[k]) * inverse_lengthscale[k];
          sums[static_cast<std::size_t>(k)] += slope * (difference * difference);
        }
      }
    }
  });
  gradient[0] = 2.0 * variance * (diagonal + 2.0 * sum<double>(amplitude));
  for (std::ptrdiff_t k = 0; k < d; ++k)
    gradient[1 + k] = 2.0 * variance * sum<double>(sums[static_cast<std::size_t>(k)]);
}

}  // namespace
}  // namespace acuity::numerics
