#pragma once

#include <memory>
#include <vector>

#include "acuity/model/kernel.hpp"
#include "numerics/kernels/table.hpp"

namespace acuity {

/// Covariances of a pool as a product of few rows and a small rest, K = F'F + E, by pivoted Cholesky (math.md
/// 6.3). F lies in tiles.
class LowRankCovariances {
 public:
  /// Until E_jj is at most `tolerance` times the largest prior variance; null where that takes more than
  /// `most` rows. `pool`: scaled.
  static std::unique_ptr<LowRankCovariances> make(std::shared_ptr<const Kernel> kernel, const Points& pool,
                                                  double tolerance, Index most);

  static constexpr Index width = numerics::tile_columns;

  Index rank() const { return pivots_.rows(); }
  /// The columns of F from t * width on: rank() rows of `width`.
  const double* tile(Index t) const { return values_.data() + t * width * rank(); }
  /// E_jj, never negative.
  const Vector& rest() const { return rest_; }
  /// What would be the column of F of a place that is in the pool or not.
  Vector column(const PointsRef& place) const;

 private:
  LowRankCovariances(std::shared_ptr<const Kernel> kernel, const Points& pool)
      : kernel_(std::move(kernel)), rest_(kernel_->diagonal(pool)) {}
  bool factorise(const Points& pool, double enough, Index most);
  void add_row(const Points& pool, Index row, Index most);

  std::shared_ptr<const Kernel> kernel_;
  Points pivots_;
  Matrix factor_;  // lower triangular: row p is the column of F of pivot p
  std::vector<double> values_;
  Vector rest_;
};

}  // namespace acuity
