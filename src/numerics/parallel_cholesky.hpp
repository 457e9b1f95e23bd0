#pragma once

#include <cstddef>

namespace acuity::numerics {

/// Replaces the lower triangle of a column-major matrix by its lower Cholesky factor, on up to `threads`
/// threads; returns false and destroys the matrix if it is not positive definite. The result is bitwise
/// independent of the number of threads.
bool parallel_cholesky(double* matrix, std::ptrdiff_t n, int threads);

}  // namespace acuity::numerics
