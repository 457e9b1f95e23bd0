#pragma once

#include <Eigen/Cholesky>

#include "numerics/kernels/table.hpp"

namespace acuity::numerics {
namespace {

template <typename Real>
using Dense = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
template <typename Real>
using Block = Eigen::Map<Dense<Real>, 0, Eigen::OuterStride<>>;
template <typename Real>
using ConstBlock = Eigen::Map<const Dense<Real>, 0, Eigen::OuterStride<>>;
using Square = Block<double>;

Square block(Square m, Eigen::Index row, Eigen::Index column, Eigen::Index rows, Eigen::Index columns) {
  return {m.data() + row + column * m.outerStride(), rows, columns, Eigen::OuterStride<>(m.outerStride())};
}

// L -> L^-1 in place, by halves: nearly all of the work is matrix products, at a third of what solving
// against the identity costs.
void invert_lower(Square l) {
  const Eigen::Index n = l.rows();
  if (n <= 32) {
    for (Eigen::Index j = 0; j < n; ++j) {
      l(j, j) = 1.0 / l(j, j);
      for (Eigen::Index i = j + 1; i < n; ++i)
        l(i, j) = -l.row(i).segment(j, i - j).dot(l.col(j).segment(j, i - j)) / l(i, i);
    }
    return;
  }
  const Eigen::Index half = n / 2, rest = n - half;
  Square top = block(l, 0, 0, half, half), bottom = block(l, half, half, rest, rest);
  Square corner = block(l, half, 0, rest, half);
  invert_lower(top);
  invert_lower(bottom);
  const Dense<double> product = bottom.triangularView<Eigen::Lower>() * corner;
  corner.noalias() = -product * top.triangularView<Eigen::Lower>();
}

// Lower triangle of X' X for lower triangular X, by halves.
void lower_of_crossproduct(const Square& x, Square out) {
  const Eigen::Index n = x.rows();
  if (n <= 64) {
    const Dense<double> lower = x.triangularView<Eigen::Lower>();
    out.triangularView<Eigen::Lower>() = lower.transpose() * lower;
    return;
  }
  const Eigen::Index half = n / 2, rest = n - half;
  const Square corner = block(x, half, 0, rest, half), bottom = block(x, half, half, rest, rest);
  lower_of_crossproduct(block(x, 0, 0, half, half), block(out, 0, 0, half, half));
  Square out_top = block(out, 0, 0, half, half);
  out_top.selfadjointView<Eigen::Lower>().rankUpdate(corner.transpose());
  block(out, half, 0, rest, half).noalias() = bottom.triangularView<Eigen::Lower>().transpose() * corner;
  lower_of_crossproduct(bottom, block(out, half, half, rest, rest));
}

bool cholesky(double* matrix, std::ptrdiff_t n, std::ptrdiff_t stride) {
  Eigen::Ref<Dense<double>, 0, Eigen::OuterStride<>> whole =
      Square(matrix, n, n, Eigen::OuterStride<>(stride));
  Eigen::LLT<Eigen::Ref<Dense<double>, 0, Eigen::OuterStride<>>> factor(whole);
  return factor.info() == Eigen::Success;
}

void invert_lower_in_place(double* lower, std::ptrdiff_t n, std::ptrdiff_t stride) {
  invert_lower(Square(lower, n, n, Eigen::OuterStride<>(stride)));
}

bool spd_inverse(double* matrix, std::ptrdiff_t n, double* log_determinant) {
  if (!cholesky(matrix, n, n)) return false;
  Square whole(matrix, n, n, Eigen::OuterStride<>(n));
  *log_determinant = 2.0 * whole.diagonal().array().log().sum();
  invert_lower(whole);
  Dense<double> inverse(n, n);
  lower_of_crossproduct(whole, Square(inverse.data(), n, n, Eigen::OuterStride<>(n)));
  whole = inverse.selfadjointView<Eigen::Lower>();
  return true;
}

constexpr std::ptrdiff_t diagonal_block = 128;

void invert_diagonal_blocks(double* lower, std::ptrdiff_t n) {
  const Square whole(lower, n, n, Eigen::OuterStride<>(n));
  for (std::ptrdiff_t begin = 0; begin < n; begin += diagonal_block) {
    const std::ptrdiff_t size = std::min(diagonal_block, n - begin);
    invert_lower(block(whole, begin, begin, size, size));
  }
}

// Forward substitution by blocks; the inverted diagonal blocks make all of it matrix products.
template <typename Real>
void solve_lower(const Real* lower, std::ptrdiff_t n, Real* b, std::ptrdiff_t columns) {
  const Eigen::OuterStride<> stride(n);
  Dense<Real> part;
  for (std::ptrdiff_t begin = 0; begin < n; begin += diagonal_block) {
    const std::ptrdiff_t size = std::min(diagonal_block, n - begin), below = n - begin - size;
    Block<Real> rows(b + begin, size, columns, stride);
    const ConstBlock<Real> inverse(lower + begin + begin * n, size, size, stride);
    part.noalias() = inverse.template triangularView<Eigen::Lower>() * rows;
    rows = part;
    if (below == 0) break;
    Block<Real>(b + begin + size, below, columns, stride).noalias() -=
        ConstBlock<Real>(lower + begin + size + begin * n, below, size, stride) * part;
  }
}

// Calls visit(op(A), op(B)), each an expression of its own type.
template <typename Visit>
void with_factors(const Product& shape, const double* a, std::ptrdiff_t stride_a, const double* b,
                  std::ptrdiff_t stride_b, const Visit& visit) {
  const auto [m, n, k, transpose_a, transpose_b] = shape;
  const Eigen::OuterStride<> sa(stride_a), sb(stride_b);
  const ConstBlock<double> left(a, transpose_a ? k : m, transpose_a ? m : k, sa),
      right(b, transpose_b ? n : k, transpose_b ? k : n, sb);
  if (transpose_a && transpose_b)
    visit(left.transpose(), right.transpose());
  else if (transpose_a)
    visit(left.transpose(), right);
  else if (transpose_b)
    visit(left, right.transpose());
  else
    visit(left, right);
}

void add_product(const Product& shape, double alpha, const double* a, std::ptrdiff_t stride_a,
                 const double* b, std::ptrdiff_t stride_b, double* c, std::ptrdiff_t stride_c) {
  Square out(c, shape.rows, shape.columns, Eigen::OuterStride<>(stride_c));
  with_factors(shape, a, stride_a, b, stride_b,
               [&](const auto& left, const auto& right) { out.noalias() += alpha * left * right; });
}

void add_lower_product(const Product& shape, double alpha, const double* a, std::ptrdiff_t stride_a,
                       const double* b, std::ptrdiff_t stride_b, double* c, std::ptrdiff_t stride_c) {
  Square out(c, shape.rows, shape.rows, Eigen::OuterStride<>(stride_c));
  with_factors(shape, a, stride_a, b, stride_b, [&](const auto& left, const auto& right) {
    out.triangularView<Eigen::Lower>() += alpha * left * right;
  });
}

void substitute(const double* lower, std::ptrdiff_t n, double* b, std::ptrdiff_t columns) {
  const Eigen::OuterStride<> stride(n);
  Square rows(b, n, columns, stride);
  ConstBlock<double>(lower, n, n, stride).triangularView<Eigen::Lower>().solveInPlace(rows);
}

}  // namespace
}  // namespace acuity::numerics
