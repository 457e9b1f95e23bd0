#include "numerics/spd_inverse.hpp"

#include <Eigen/Cholesky>

namespace acuity::numerics {

namespace {

using Square = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

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
  const Eigen::MatrixXd product = bottom.triangularView<Eigen::Lower>() * corner;
  corner.noalias() = -product * top.triangularView<Eigen::Lower>();
}

// Lower triangle of X' X for lower triangular X, by halves.
void lower_of_crossproduct(const Square& x, Square out) {
  const Eigen::Index n = x.rows();
  if (n <= 64) {
    const Eigen::MatrixXd lower = x.triangularView<Eigen::Lower>();
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

}  // namespace

bool spd_inverse(double* matrix, std::ptrdiff_t n, double* log_determinant) {
  Eigen::Map<Eigen::MatrixXd> whole(matrix, n, n);
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(whole);
  if (factor.info() != Eigen::Success) return false;
  *log_determinant = 2.0 * whole.diagonal().array().log().sum();
  invert_lower(Square(matrix, n, n, Eigen::OuterStride<>(n)));
  Eigen::MatrixXd inverse(n, n);
  lower_of_crossproduct(Square(matrix, n, n, Eigen::OuterStride<>(n)),
                        Square(inverse.data(), n, n, Eigen::OuterStride<>(n)));
  whole = inverse.selfadjointView<Eigen::Lower>();
  return true;
}

}  // namespace acuity::numerics
