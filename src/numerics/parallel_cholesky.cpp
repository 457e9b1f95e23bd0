#include "numerics/parallel_cholesky.hpp"

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "numerics/dispatch.hpp"

namespace acuity::numerics {

namespace {

constexpr std::ptrdiff_t block = 512;

// rows := rows L^-T for `count` rows below a diagonal block, given L^-1 in a lower triangle with zeros above
// it. Works on blocks of columns, last first: each needs the columns before it in their original form, and
// none after it.
void divide(const std::vector<double>& inverse, std::ptrdiff_t size, double* rows, std::ptrdiff_t count,
            std::ptrdiff_t stride) {
  constexpr std::ptrdiff_t narrow = 128;
  std::vector<double> product;
  for (std::ptrdiff_t begin = (size - 1) / narrow * narrow; begin >= 0; begin -= narrow) {
    const std::ptrdiff_t end = std::min(begin + narrow, size), width = end - begin;
    product.assign(static_cast<std::size_t>(count * width), 0.0);
    kernels().add_product({count, width, end, false, true}, 1.0, rows, stride, inverse.data() + begin, size,
                          product.data(), count);
    for (std::ptrdiff_t j = 0; j < width; ++j)
      std::copy_n(product.data() + j * count, count, rows + (begin + j) * stride);
  }
}

}  // namespace

// Block column by block column: factor the diagonal block, divide what is below by it, and take its products
// off everything to the right, tile by tile.
bool parallel_cholesky(double* matrix, std::ptrdiff_t n, int threads) {
  if (n <= 2 * block) return kernels().cholesky(matrix, n, n);
  const auto at = [&](std::ptrdiff_t row, std::ptrdiff_t column) { return matrix + row + column * n; };
  std::vector<double> inverse;
  for (std::ptrdiff_t begin = 0; begin < n; begin += block) {
    const std::ptrdiff_t size = std::min(block, n - begin), next = begin + size;
    if (!kernels().cholesky(at(begin, begin), size, n)) return false;
    if (next == n) return true;
    inverse.assign(static_cast<std::size_t>(size * size), 0.0);
    for (std::ptrdiff_t j = 0; j < size; ++j)
      std::copy_n(at(begin + j, begin + j), size - j, inverse.data() + j * size + j);
    kernels().invert_lower(inverse.data(), size, size);
    const std::ptrdiff_t tiles = (n - next + block - 1) / block;
    const auto height = [&](std::ptrdiff_t tile) { return std::min(block, n - next - tile * block); };
    base::parallel_for(tiles, threads, [&](std::ptrdiff_t tile) {
      divide(inverse, size, at(next + tile * block, begin), height(tile), n);
    });
    // Row by row of tiles, the longest first.
    base::parallel_for(tiles, threads, [&](std::ptrdiff_t k) {
      const std::ptrdiff_t row = tiles - 1 - k, first = next + row * block;
      kernels().add_product({height(row), row * block, size, false, true}, -1.0, at(first, begin), n,
                            at(next, begin), n, at(first, next), n);
      kernels().add_lower_product({height(row), height(row), size, false, true}, -1.0, at(first, begin), n,
                                  at(first, begin), n, at(first, first), n);
    });
  }
  return true;
}

}  // namespace acuity::numerics
