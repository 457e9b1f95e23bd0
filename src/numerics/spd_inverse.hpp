#pragma once

#include <cstddef>

namespace acuity::numerics {

/// Replaces a symmetric positive definite matrix (column-major n x n, lower triangle read) by its inverse,
/// both triangles, and gives the log determinant. False, and the matrix destroyed, where it is not positive
/// definite.
bool spd_inverse(double* matrix, std::ptrdiff_t n, double* log_determinant);

}  // namespace acuity::numerics
