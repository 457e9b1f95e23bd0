#pragma once

#include <functional>
#include <memory>

#include "acuity/model/kernel.hpp"
#include "numerics/kernels/table.hpp"

namespace acuity {

/// What a low-rank factor may leave of a covariance, as a share of the largest prior variance: near what
/// rounding leaves anyway.
constexpr double low_rank_tolerance = 1e-13;

/// Covariances of a pool as a product of few rows and a small rest, K = F'F + E, by pivoted Cholesky (math.md
/// 6.3). F lies in tiles.
class LowRankCovariances {
 public:
  /// `points(step, count)`: the pool rows 0, step, 2 * step, ..., scaled.
  using PointSource = std::function<Points(Index step, Index count)>;

  /// Until E_jj is at most `tolerance` times the largest prior variance; null if that takes more than `most`
  /// rows. Few points are tried first, so that a pool of high rank costs little.
  static std::unique_ptr<LowRankCovariances> make(std::shared_ptr<const Kernel> kernel, Index size,
                                                  const PointSource& points, double tolerance, Index most);
  /// `pool`: scaled.
  static std::unique_ptr<LowRankCovariances> make(std::shared_ptr<const Kernel> kernel, const Points& pool,
                                                  double tolerance, Index most);

  static constexpr Index width = numerics::tile_columns;

  Index rank() const { return pivots_.rows(); }
  Index tiles() const { return (rest_.size() + width - 1) / width; }
  /// The columns of F from t * width on: rank() rows of `width`.
  const double* tile(Index t) const { return values_.data() + t * width * rank(); }
  double* tile(Index t) { return values_.data() + t * width * rank(); }
  /// E_jj, never negative.
  const Vector& rest() const { return rest_; }
  /// The column of F of a pool row.
  Vector pool_column(Index row) const;
  /// What would be the column of F of a place that is in the pool or not.
  Vector column(const PointsRef& place) const;

 private:
  LowRankCovariances(std::shared_ptr<const Kernel> kernel, const Points& pool)
      : kernel_(std::move(kernel)), rest_(kernel_->diagonal(pool)) {}
  bool factorise(const Points& pool, double tolerance, Index most);
  void add_row(const Points& pool, Index row);
  void set_room(Index rows);

  std::shared_ptr<const Kernel> kernel_;
  Points pivots_;
  Matrix factor_;   // lower triangular: row p is the column of F of pivot p
  Vector values_;   // by tile, each with room for room_ rows
  Index room_ = 0;  // rank() once it is complete
  Vector rest_;
};

}  // namespace acuity
