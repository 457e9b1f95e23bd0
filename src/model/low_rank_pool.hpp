#pragma once

#include <memory>
#include <vector>

#include "model/lagging_pool.hpp"
#include "model/low_rank_covariances.hpp"
#include "model/tiled_posterior.hpp"

namespace acuity {

/// A pool whose covariances are nearly a product F'F of few rows (math.md 6.3): one more annotation costs as
/// many operations a point as F has rows, however many annotations there are. Smooth functions of few inputs
/// are like that. Variances are off by at most error(); exact_at() uses the factor of all annotations.
class LowRankPool : public LaggingPool {
 public:
  /// Null if more than `most` rows would be needed. `posterior` must outlive it.
  static std::unique_ptr<LowRankPool> make(const TiledPosterior& posterior, const Prior& prior, Index most);

  Index tile_width() const override { return together * PoolTiles::width; }
  const Marginals& so_far() const override { return marginals_; }
  void refresh(Index tile) override;
  Index epoch() const override { return epoch_; }
  bool surely_finite() const override { return posterior_.surely_finite(); }
  VarianceError error() const override { return {.absolute = error_}; }
  Marginals exact_at(std::span<const Index> rows) const override;

  /// Adds the rows that the posterior got since. False if that is not possible: a place is too far from the
  /// pool's, or noise is so small that the error would be too large to be of use.
  bool follow();

  /// Together with that of the posterior.
  void change_prior_mean(double mean) { prior_.mean = mean; }

  Index rank() const { return factor_->rank(); }

 private:
  // Tiles of F that make one of ours: they are refreshed so quickly that looking at each of them would cost
  // more.
  static constexpr Index together = 16;

  LowRankPool(const TiledPosterior& posterior, const Prior& prior,
              std::unique_ptr<LowRankCovariances> factor);
  bool add(Index row);
  void start_again();
  void fold(Index tile, Index from, Index to, bool means_alone);

  const TiledPosterior& posterior_;
  Prior prior_;
  std::unique_ptr<LowRankCovariances> factor_;  // F
  std::vector<double*> slabs_;                  // of F, as the numeric kernels take them: by tile
  Vector prior_variances_;                      // by pool point
  double largest_prior_variance_;

  Marginals marginals_;
  std::vector<Index> seen_;      // rows, by tile
  std::vector<Index> means_of_;  // by tile: the posterior's z_version that the means were folded with
  std::vector<double> g_;        // rows x rank: what a row of the posterior's factor is in terms of F
  Index rows_ = 0, epoch_, z_version_;
  double error_ = 0.0, least_noise_seen_;
};

}  // namespace acuity
