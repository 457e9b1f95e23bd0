#pragma once

#include <cstddef>

namespace acuity::numerics {

/// The lower Cholesky factor in place of the lower triangle of a column-major matrix, on up to `threads`
/// threads; false, and the matrix destroyed, where there is none. The bits do not depend on the threads.
bool parallel_cholesky(double* matrix, std::ptrdiff_t n, int threads);

}  // namespace acuity::numerics
