#pragma once

#include <cstddef>

// Covariances as functions of scaled distance, on plain arrays: the loops that instruction-set dispatch will
// replace without touching callers.

namespace acuity::numerics {

enum class Profile { rbf, matern32, matern52 };

/// out[j * n + i] = variance * profile(|a_i - b_j|), distances in units of 1 / inverse_lengthscale.
/// a: n x d, b: m x d, both row-major; out: column-major n x m.
void covariance(Profile profile, double variance, const double* a, std::ptrdiff_t n, const double* b,
                std::ptrdiff_t m, std::ptrdiff_t d, const double* inverse_lengthscale, double* out);

/// The factor g(rho) in dk/dlog l_k = g(rho) * q_k of math.md 2.2, same layout and units as covariance().
void lengthscale_slope(Profile profile, double variance, const double* a, std::ptrdiff_t n, const double* b,
                       std::ptrdiff_t m, std::ptrdiff_t d, const double* inverse_lengthscale, double* out);

}  // namespace acuity::numerics
