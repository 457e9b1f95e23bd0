#include "model/low_rank_covariances.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "data/as_size.hpp"
#include "numerics/dispatch.hpp"

namespace acuity {

std::unique_ptr<LowRankCovariances> LowRankCovariances::make(std::shared_ptr<const Kernel> kernel, Index size,
                                                             const PointSource& points, double tolerance,
                                                             Index most) {
  // Some of the points need no more rows than all of them.
  constexpr Index few = 512;
  const Index probe = size > 4 * few ? few : 2 * most;
  if (probe > 0 && size >= 4 * probe) {
    const Points some = points(size / probe, probe);
    if (!LowRankCovariances(kernel, some).factorise(some, tolerance, most)) return nullptr;
  }
  const Points pool = points(1, size);
  std::unique_ptr<LowRankCovariances> made(new LowRankCovariances(std::move(kernel), pool));
  return made->factorise(pool, tolerance, most) ? std::move(made) : nullptr;
}

std::unique_ptr<LowRankCovariances> LowRankCovariances::make(std::shared_ptr<const Kernel> kernel,
                                                             const Points& pool, double tolerance,
                                                             Index most) {
  const auto points = [&](Index step, Index count) {
    return Points(pool(Eigen::seqN(0, count, step), Eigen::all));
  };
  return make(std::move(kernel), pool.rows(), points, tolerance, most);
}

// The point about which most is unknown becomes the next row.
bool LowRankCovariances::factorise(const Points& pool, double tolerance, Index most) {
  const double enough = tolerance * rest_.maxCoeff();
  pivots_.resize(0, pool.cols());
  for (;;) {
    Index row = 0;
    if (rest_.maxCoeff(&row) <= enough) break;
    if (rank() == most) return false;
    if (rank() == room_) set_room(std::min(most, std::max<Index>(32, 2 * room_)));
    add_row(pool, row);
  }
  set_room(rank());
  return true;
}

// Tiles move apart or together, in place, so that each has room for this many rows.
void LowRankCovariances::set_room(Index rows) {
  const auto move_tile = [&](Index t) {
    double* from = values_.data() + t * width * room_;
    std::memmove(values_.data() + t * width * rows, from, sizeof(double) * at(width * rank()));
  };
  if (rows > room_) {
    values_.conservativeResize(tiles() * width * rows);
    for (Index t = tiles() - 1; t > 0; --t) move_tile(t);
  } else {
    for (Index t = 1; t < tiles(); ++t) move_tile(t);
    values_.conservativeResize(tiles() * width * rows);
  }
  factor_.conservativeResize(rows, rows);
  room_ = rows;
}

void LowRankCovariances::add_row(const Points& pool, Index row) {
  const Index r = rank();
  const auto tile_of = [&](Index t) { return values_.data() + t * width * room_; };
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
    std::fill(next + count, next + width, 0.0);
    numerics::kernels().add_columns(tile, width, r, minus_column.data(), width, next);
    for (Index j = 0; j < count; ++j) {
      next[j] /= diagonal;
      rest_(begin + j) = std::max(rest_(begin + j) - next[j] * next[j], 0.0);
    }
  }
  rest_(row) = 0.0;
}

Vector LowRankCovariances::pool_column(Index row) const {
  return Eigen::Map<const Vector, 0, Eigen::InnerStride<width>>(tile(row / width) + row % width, rank());
}

Vector LowRankCovariances::column(const PointsRef& place) const {
  Vector column = kernel_->cross(pivots_, place);
  factor_.triangularView<Eigen::Lower>().solveInPlace(column);
  return column;
}

}  // namespace acuity
