#pragma once

#include <Eigen/Cholesky>

#include "numerics/kernels/covariance.hpp"
#include "numerics/kernels/table.hpp"
#include "numerics/kernels/vectors.hpp"

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

// Below this, Eigen's own routines are as fast as halving further.
constexpr Eigen::Index undivided = 128;

// C -> C L^-T, by halves.
void solve_from_the_right(const Square& l, Square c) {
  const Eigen::Index n = l.rows(), m = c.rows();
  if (n <= undivided) {
    l.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(c);
    return;
  }
  const Eigen::Index half = n / 2, rest = n - half;
  const Square left = block(c, 0, 0, m, half);
  Square right = block(c, 0, half, m, rest);
  solve_from_the_right(block(l, 0, 0, half, half), left);
  right.noalias() -= left * block(l, half, 0, rest, half).transpose();
  solve_from_the_right(block(l, half, half, rest, rest), right);
}

// Lower triangle of A - C C', by halves.
void subtract_square(Square a, const Square& c) {
  const Eigen::Index n = a.rows(), k = c.cols();
  if (n <= undivided) {
    a.selfadjointView<Eigen::Lower>().rankUpdate(c, -1.0);
    return;
  }
  const Eigen::Index half = n / 2, rest = n - half;
  const Square top = block(c, 0, 0, half, k), bottom = block(c, half, 0, rest, k);
  subtract_square(block(a, 0, 0, half, half), top);
  block(a, half, 0, rest, half).noalias() -= bottom * top.transpose();
  subtract_square(block(a, half, half, rest, rest), bottom);
}

// Also by halves: large matrix products run at nearly the peak speed of the processor, unlike the narrow ones
// of a factorisation by block columns.
bool factor_lower(Square a) {
  const Eigen::Index n = a.rows();
  if (n <= undivided) {
    Eigen::Ref<Dense<double>, 0, Eigen::OuterStride<>> whole = a;
    const Eigen::LLT<Eigen::Ref<Dense<double>, 0, Eigen::OuterStride<>>> factor(whole);
    return factor.info() == Eigen::Success;
  }
  const Eigen::Index half = n / 2, rest = n - half;
  const Square top = block(a, 0, 0, half, half), bottom = block(a, half, half, rest, rest);
  const Square corner = block(a, half, 0, rest, half);
  if (!factor_lower(top)) return false;
  solve_from_the_right(top, corner);
  subtract_square(bottom, corner);
  return factor_lower(bottom);
}

bool cholesky(double* matrix, std::ptrdiff_t n, std::ptrdiff_t stride) {
  return factor_lower(Square(matrix, n, n, Eigen::OuterStride<>(stride)));
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
  mirror_lower(inverse.data(), n);
  whole = inverse;
  return true;
}

void column_products(const double* a, std::ptrdiff_t n, std::ptrdiff_t columns, const double* z,
                     double* out) {
  constexpr std::ptrdiff_t step = 4 * lanes<double>;
  for (std::ptrdiff_t j = 0; j < columns; ++j, a += n) {
    VectorOf<double> sums[4] = {};
    std::ptrdiff_t i = 0;
    for (; i + step <= n; i += step)
      for (std::ptrdiff_t k = 0; k < 4; ++k)
        sums[k] += load<double>(a + i + k * lanes<double>) * load<double>(z + i + k * lanes<double>);
    out[j] = 0.0;
    for (; i < n; ++i) out[j] += a[i] * z[i];
    out[j] += sum<double>((sums[0] + sums[1]) + (sums[2] + sums[3]));
  }
}

void half_difference(const double* w, std::ptrdiff_t n, double* matrix) {
  for (std::ptrdiff_t j = 0; j < n; ++j)
    for (std::ptrdiff_t i = 0; i < n; ++i) matrix[j * n + i] = 0.5 * (w[i] * w[j] - matrix[j * n + i]);
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
