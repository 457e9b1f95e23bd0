// Compiled once per instruction-set level (src/CMakeLists.txt): into the library for the baseline, into a
// separate shared library for every other level, which exports one function and hides the rest.
#include "numerics/kernels/table.hpp"

#include "numerics/kernels/covariance.hpp"
#include "numerics/kernels/dense.hpp"
#include "numerics/kernels/expectations.hpp"
#include "numerics/kernels/substitution.hpp"
#include "numerics/kernels/tiles.hpp"

namespace acuity::numerics {

namespace {

constexpr Kernels kernels{
#if defined(__AVX512F__)
    .instruction_set = "x86-64-v4",
#elif defined(__AVX2__)
    .instruction_set = "x86-64-v3",
#else
    .instruction_set = "x86-64",
#endif
    .tiles = tile_kernels<double>,
    .float_tiles = tile_kernels<float>,
    .substitution = substitution_kernels<double>,
    .float_substitution = substitution_kernels<float>,
    .solve_packed = &solve_packed,
    .covariance = &covariance<double>,
    .scale_where_different = &scale_where_different,
    .self_covariance = &self_covariance,
    .weighted_gradient = &weighted_gradient,
    .spd_inverse = &spd_inverse,
    .cholesky = &cholesky,
    .invert_lower = &invert_lower_in_place,
    .pack_lower = &pack_lower,
    .side_products = &side_products,
    .column_products = &column_products,
    .half_difference = &half_difference,
    .add_product = &add_product,
    .add_lower_product = &add_lower_product,
    .substitute = &substitute,
    .add_columns = &add_columns,
    .column_sums = &column_sums,
    .add_squares = &add_squares,
    .subtract_covariances = &subtract_covariances,
    .weighted_squares = &weighted_squares,
    .share_sums = &share_sums,
    .expected_drop = &expected_drop,
    .lowest_lines = &lowest_lines,
    .best_merit = &best_merit,
};

}  // namespace

#ifdef ACUITY_KERNELS_LIBRARY
extern "C" __attribute__((visibility("default"))) const Kernels* acuity_kernels() {
  return &kernels;
}
#else
const Kernels& baseline_kernels() {
  return kernels;
}
#endif

}  // namespace acuity::numerics
