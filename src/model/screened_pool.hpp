#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "model/lagging_pool.hpp"
#include "model/tiled_posterior.hpp"

namespace acuity {

/// A pool whose tiles are kept in single precision, as a screen (math.md 6.4): half the memory and about
/// twice the speed. Variances are off by at most error(), which is proved, not measured; exact_at() uses the
/// factor, in double precision. Means are not computed.
class ScreenedPool : public LaggingPool {
 public:
  /// Null if the bound does not hold or is too loose to be of use, and if its points alone would take
  /// half of `memory`, the bytes that it may take in all (0: no limit). `posterior` must outlive it.
  static std::unique_ptr<ScreenedPool> make(const TiledPosterior& posterior, const Prior& prior,
                                            std::size_t memory);

  Index tile_width() const override { return PoolTiles::width; }
  const Marginals& so_far() const override { return tiles_->marginals(); }
  void refresh(Index tile) override;
  Index epoch() const override { return epoch_; }
  bool surely_finite() const override { return posterior_.surely_finite(); }
  VarianceError error() const override { return error_; }
  Marginals exact_at(std::span<const Index> rows) const override;

  /// False if most points of a sample of the pool may be the one of largest variance, as far as the screen
  /// can tell: it would have to look at most of the pool again.
  bool tells_points_apart() const;

  /// Adds the rows that the posterior got since. False if the screen is of no use any more: the bound has
  /// become too loose, or so many points had to be looked at in double precision that the screen saves
  /// nothing.
  bool follow();

 private:
  ScreenedPool(const TiledPosterior& posterior, const StationaryKernel& kernel,
               std::unique_ptr<PoolTiles> tiles);
  bool bound_errors();
  double squared_drift(Index row) const;
  bool pays();
  FactorSide side() const;

  const TiledPosterior& posterior_;
  double prior_variance_;
  Vector origin_, inverse_lengthscales_;
  std::unique_ptr<PoolTiles> tiles_;
  double extent_;                          // how far the pool is from the origin, in length scales
  double categories_ = 0.0;                // how many inputs are
  std::vector<FactorRow> anonymous_rows_;  // without pool_row, so that no tile column gets the special-cased
                                           // variance of an observed point
  Vector zero_answers_;                    // means are not computed
  std::vector<double> drifts_;             // by row: the square of E, math.md eq. (6.4), of the rows up to it
  Index epoch_;
  VarianceError error_;

  // Operations, roughly: what the tiles took, and what the points that were looked at again did.
  std::atomic<double> refreshing_ = 0.0;
  mutable double deciding_ = 0.0;
};

}  // namespace acuity
