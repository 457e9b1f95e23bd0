#include "model/low_rank_covariances.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/dispatch.hpp"

namespace acuity {

std::unique_ptr<LowRankCovariances> LowRankCovariances::make(std::shared_ptr<const Kernel> kernel,
                                                             const Points& pool, double tolerance,
                                                             Index most) {
  const double enough = tolerance * kernel->diagonal(pool).maxCoeff();
  // Some of the points need no more rows than all of them: most pools that are no use are found out cheaply.
  constexpr Index few = 512;
  if (pool.rows() > 4 * few) {
    const Points some = pool(Eigen::seqN(0, few, pool.rows() / few), Eigen::all);
    if (!LowRankCovariances(kernel, some).factorise(some, enough, most)) return nullptr;
  }
  std::unique_ptr<LowRankCovariances> made(new LowRankCovariances(std::move(kernel), pool));
  return made->factorise(pool, enough, most) ? std::move(made) : nullptr;
}

// The point about which most is unknown becomes the next row. Until all rows are there every tile has room
// for `most`.
bool LowRankCovariances::factorise(const Points& pool, double enough, Index most) {
  const Index tiles = (pool.rows() + width - 1) / width;
  values_.assign(static_cast<std::size_t>(tiles * width * most), 0.0);
  factor_ = Matrix::Zero(most, most);
  pivots_.resize(0, pool.cols());
  for (;;) {
    Index row = 0;
    if (rest_.maxCoeff(&row) <= enough) break;
    if (rank() == most) return false;
    add_row(pool, row, most);
  }
  for (Index t = 1; t < tiles; ++t)
    std::copy_n(values_.data() + t * width * most, width * rank(), values_.data() + t * width * rank());
  values_.resize(static_cast<std::size_t>(tiles * width * rank()));
  values_.shrink_to_fit();
  factor_.conservativeResize(rank(), rank());
  return true;
}

void LowRankCovariances::add_row(const Points& pool, Index row, Index most) {
  const Index r = rank();
  const auto tile_of = [&](Index t) { return values_.data() + t * width * most; };
  const double diagonal = std::sqrt(rest_(row));
  Vector minus_column(r);
  for (Index p = 0; p < r; ++p) {
    factor_(r, p) = tile_of(row / width)[p * width + row % width];
    minus_column(p) = -factor_(r, p);
  }
  factor_(r, r) = diagonal;
  pivots_.conservativeResize(r + 1, Eigen::NoChange);
  pivots_.row(r) = pool.row(row);
  const Matrix k = kernel_->cross(pool, pivots_.bottomRows(1));
  for (Index begin = 0; begin < pool.rows(); begin += width) {
    double *tile = tile_of(begin / width), *next = tile + r * width;
    const Index count = std::min(width, pool.rows() - begin);
    std::copy_n(k.data() + begin, count, next);
    numerics::kernels().add_columns(tile, width, r, minus_column.data(), width, next);
    for (Index j = 0; j < count; ++j) {
      next[j] /= diagonal;
      rest_(begin + j) = std::max(rest_(begin + j) - next[j] * next[j], 0.0);
    }
  }
  rest_(row) = 0.0;
}

Vector LowRankCovariances::column(const PointsRef& place) const {
  Vector column = kernel_->cross(pivots_, place);
  factor_.triangularView<Eigen::Lower>().solveInPlace(column);
  return column;
}

}  // namespace acuity
