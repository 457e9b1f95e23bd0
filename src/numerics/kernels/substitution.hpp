#pragma once

#include <vector>

#include "numerics/kernels/dense.hpp"
#include "numerics/kernels/table.hpp"
#include "numerics/kernels/vectors.hpp"

// Forward substitution for many right-hand sides. The factor and the sides are stored in the order in which
// they are read, so that nothing is packed or copied during the computation.

namespace acuity::numerics {
namespace {

// Adjacent columns of the right-hand sides: two vectors.
template <typename Real>
constexpr std::ptrdiff_t group_columns = 2 * lanes<Real>;
// Rows of a strip whose sums fit the registers together with their operands.
constexpr std::ptrdiff_t rows_at_once = vector_bytes == 64 ? strip_rows : strip_rows / 2;

template <typename Pointer>
Pointer group_of(Pointer sides, std::ptrdiff_t n, std::ptrdiff_t column) {
  return sides + column * whole_strips(n);
}

// Row by row of a strip, its product with `length` rows of a group.
enum class Target { replaced, lowered };
template <Target target, typename Real>
inline void multiply_rows(const Real* strip, std::ptrdiff_t length, const Real* group, Real* out) {
  using V = VectorOf<Real>;
  constexpr std::ptrdiff_t width = group_columns<Real>;
  V left[rows_at_once] = {}, right[rows_at_once] = {};
  for (std::ptrdiff_t r = 0; r < rows_at_once; ++r) {
    __builtin_prefetch(out + r * width, 1);
    __builtin_prefetch(out + r * width + lanes<Real>, 1);
  }
  for (std::ptrdiff_t k = 0; k < length; ++k, strip += strip_rows, group += width) {
    const V a = load<Real>(group), b = load<Real>(group + lanes<Real>);
#pragma GCC unroll 12
    for (std::ptrdiff_t r = 0; r < rows_at_once; ++r) {
      left[r] += strip[r] * a;
      right[r] += strip[r] * b;
    }
  }
#pragma GCC unroll 12
  for (std::ptrdiff_t r = 0; r < rows_at_once; ++r) {
    Real* to = out + r * width;
    if constexpr (target == Target::lowered) {
      left[r] = load<Real>(to) - left[r];
      right[r] = load<Real>(to + lanes<Real>) - right[r];
    }
    store<Real>(to, left[r]);
    store<Real>(to + lanes<Real>, right[r]);
  }
}

// From below within the strip, as `out` may be the last of the rows that are read.
template <Target target, typename Real>
inline void multiply_strip(const Real* strip, std::ptrdiff_t length, const Real* group, Real* out) {
  for (std::ptrdiff_t r = strip_rows - rows_at_once; r >= 0; r -= rows_at_once)
    multiply_rows<target, Real>(strip + r, length, group, out + r * group_columns<Real>);
}

// A part of a column-major matrix.
struct Part {
  const double* values;
  std::ptrdiff_t rows, columns, stride;
};

// The strips of the part, one after the other. An inverted triangle has zeros above its diagonal.
double* write_strips(const Part& part, bool triangle, double* to) {
  for (std::ptrdiff_t first = 0; first < part.rows; first += strip_rows) {
    const double* column = part.values + first;
    const std::ptrdiff_t length = triangle ? std::min(first + strip_rows, part.columns) : part.columns;
    const bool whole = !triangle && first + strip_rows <= part.rows;
    for (std::ptrdiff_t k = 0; k < length; ++k, column += part.stride, to += strip_rows) {
      if (whole)
        std::copy_n(column, strip_rows, to);
      else
        for (std::ptrdiff_t r = 0; r < strip_rows; ++r)
          to[r] = first + r < part.rows && !(triangle && k > first + r) ? column[r] : 0.0;
    }
  }
  return to;
}

// The triangle of a wide block: narrow blocks, each with what is below it in the triangle.
double* write_triangle(double* lower, std::ptrdiff_t n, std::ptrdiff_t stride, double* to) {
  for (std::ptrdiff_t begin = 0; begin < n; begin += narrow_block) {
    const std::ptrdiff_t width = std::min(narrow_block, n - begin);
    double* corner = lower + begin + begin * stride;
    invert_lower(Square(corner, width, width, Eigen::OuterStride<>(stride)));
    to = write_strips({corner, width, width, stride}, true, to);
    to = write_strips({corner + width, n - begin - width, width, stride}, false, to);
  }
  return to;
}

// A block of columns is copied before it is overwritten; the packed one before it ends no later than it
// begins.
void pack_lower(double* matrix, std::ptrdiff_t n) {
  double* to = matrix;
  std::vector<double> copy;
  for (std::ptrdiff_t begin = 0; begin < n; begin += wide_block) {
    const std::ptrdiff_t width = std::min(wide_block, n - begin), rows = n - begin;
    copy.resize(static_cast<std::size_t>(rows * width));
    for (std::ptrdiff_t k = 0; k < width; ++k)
      std::copy_n(matrix + begin + (begin + k) * n, rows, copy.data() + k * rows);
    to = write_triangle(copy.data(), width, rows, to);
    to = write_strips({copy.data() + width, rows - width, width, rows}, false, to);
  }
}

template <typename Real>
void fill_sides(const double* values, std::ptrdiff_t from, std::ptrdiff_t to, std::ptrdiff_t n,
                std::ptrdiff_t columns, Real* sides) {
  constexpr std::ptrdiff_t width = group_columns<Real>;
  for (std::ptrdiff_t begin = 0; begin < columns; begin += width) {
    const std::ptrdiff_t count = std::min(width, columns - begin);
    Real* row = group_of(sides, n, begin) + from * width;
    for (std::ptrdiff_t i = from; i < to; ++i, row += width) {
      const double* value = values + (i - from) * columns + begin;
      for (std::ptrdiff_t j = 0; j < count; ++j) row[j] = static_cast<Real>(value[j]);
      std::fill(row + count, row + width, Real(0));
    }
    if (to == n) std::fill_n(row, (whole_strips(n) - n) * width, Real(0));
  }
}

template <typename Real>
void read_sides(const Real* sides, std::ptrdiff_t n, std::ptrdiff_t columns, double* out) {
  constexpr std::ptrdiff_t width = group_columns<Real>;
  for (std::ptrdiff_t j = 0; j < columns; ++j) {
    const Real* value = group_of(sides, n, j / width * width) + j % width;
    for (std::ptrdiff_t i = 0; i < n; ++i, value += width) *out++ = static_cast<double>(*value);
  }
}

// group := L^-1 group for an inverted triangle: from the last strip up, since each needs all rows above it as
// they were.
template <typename Real>
void multiply_triangle(const Real* packed, std::ptrdiff_t n, Real* group) {
  const Real* strip = packed + inverted_size(n);
  for (std::ptrdiff_t first = whole_strips(n) - strip_rows; first >= 0; first -= strip_rows) {
    const std::ptrdiff_t length = std::min(first + strip_rows, n);
    strip -= length * strip_rows;
    multiply_strip<Target::replaced, Real>(strip, length, group, group + first * group_columns<Real>);
  }
}

// The triangle of a wide block for one group.
template <typename Real>
void solve_triangle(const Real* packed, std::ptrdiff_t n, Real* group) {
  constexpr std::ptrdiff_t width = group_columns<Real>;
  for (std::ptrdiff_t begin = 0; begin < n; begin += narrow_block) {
    const std::ptrdiff_t block = std::min(narrow_block, n - begin);
    Real* rows = group + begin * width;
    multiply_triangle<Real>(packed, block, rows);
    packed += inverted_size(block);
    for (std::ptrdiff_t first = begin + block; first < n; first += strip_rows, packed += block * strip_rows)
      multiply_strip<Target::lowered, Real>(packed, block, rows, group + first * width);
  }
}

// Wide block by wide block: a strip below it meets all groups while it is in the nearest cache; their rows
// are then read and written once for wide_block columns.
template <typename Real>
void solve_sides(const Real* packed, std::ptrdiff_t n, std::ptrdiff_t columns, Real* sides) {
  constexpr std::ptrdiff_t width = group_columns<Real>;
  for (std::ptrdiff_t begin = 0; begin < n; begin += wide_block) {
    const std::ptrdiff_t block = std::min(wide_block, n - begin);
    for (std::ptrdiff_t column = 0; column < columns; column += width)
      solve_triangle<Real>(packed, block, group_of(sides, n, column) + begin * width);
    packed += packed_size(block);
    for (std::ptrdiff_t first = begin + block; first < n; first += strip_rows, packed += block * strip_rows)
      for (std::ptrdiff_t column = 0; column < columns; column += width) {
        Real* group = group_of(sides, n, column);
        multiply_strip<Target::lowered, Real>(packed, block, group + begin * width, group + first * width);
      }
  }
}

// Sums over a strip in the sides' own precision, over the strips in double. term(row, i): of a vector of row
// i.
template <typename Real, typename Term>
inline void sum_sides(const Real* sides, std::ptrdiff_t n, std::ptrdiff_t columns, const Term& term,
                      double* out) {
  constexpr std::ptrdiff_t width = group_columns<Real>;
  for (std::ptrdiff_t begin = 0; begin < columns; begin += width) {
    const Real* row = group_of(sides, n, begin);
    double totals[width] = {};
    for (std::ptrdiff_t first = 0; first < n; first += strip_rows) {
      VectorOf<Real> left{}, right{};
      for (std::ptrdiff_t i = first; i < std::min(first + strip_rows, n); ++i, row += width) {
        left += term(load<Real>(row), i);
        right += term(load<Real>(row + lanes<Real>), i);
      }
      for (std::ptrdiff_t j = 0; j < lanes<Real>; ++j) {
        totals[j] += static_cast<double>(left[j]);
        totals[lanes<Real> + j] += static_cast<double>(right[j]);
      }
    }
    std::copy_n(totals, std::min(width, columns - begin), out + begin);
  }
}

template <typename Real>
void side_squares(const Real* sides, std::ptrdiff_t n, std::ptrdiff_t columns, double* out) {
  sum_sides<Real>(sides, n, columns, [](VectorOf<Real> v, std::ptrdiff_t) { return v * v; }, out);
}

void side_products(const double* sides, std::ptrdiff_t n, std::ptrdiff_t columns, const double* z,
                   double* out) {
  sum_sides<double>(sides, n, columns, [&](VectorOf<double> v, std::ptrdiff_t i) { return v * z[i]; }, out);
}

template <typename Real>
constexpr SubstitutionKernels<Real> substitution_kernels{.fill = &fill_sides<Real>,
                                                         .solve = &solve_sides<Real>,
                                                         .read = &read_sides<Real>,
                                                         .squares = &side_squares<Real>};

}  // namespace
}  // namespace acuity::numerics
