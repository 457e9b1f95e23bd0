#include "model/low_rank_pool.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/as_size.hpp"
#include "numerics/dispatch.hpp"

namespace acuity {

std::unique_ptr<LowRankPool> LowRankPool::make(const TiledPosterior& posterior, const Prior& prior,
                                               Index most) {
  const PoolTiles& tiles = posterior.tiles();
  const auto points = [&](Index step, Index count) {
    Points some(count, tiles.lowest().size());
    for (Index i = 0; i < count; ++i) some.row(i) = tiles.point(i * step);
    return some;
  };
  auto factor = LowRankCovariances::make(prior.kernel, tiles.size(), points, low_rank_tolerance, most);
  if (!factor) return nullptr;
  std::unique_ptr<LowRankPool> made(new LowRankPool(posterior, prior, std::move(factor)));
  return made->follow() ? std::move(made) : nullptr;
}

LowRankPool::LowRankPool(const TiledPosterior& posterior, const Prior& prior,
                         std::unique_ptr<LowRankCovariances> factor)
    : posterior_(posterior),
      prior_(prior),
      factor_(std::move(factor)),
      prior_variances_(posterior.tiles().prior_variances()),
      largest_prior_variance_(prior_variances_.maxCoeff()),
      seen_(at((posterior.tiles().count() + together - 1) / together), 0),
      means_of_(seen_.size(), posterior.z_version()),
      epoch_(posterior.removals()),
      z_version_(posterior.z_version()),
      least_noise_seen_(std::numeric_limits<double>::infinity()) {
  for (Index t = 0; t < factor_->tiles(); ++t)
    for (Index row = 0; row < rank(); row += numerics::slab_rows)
      slabs_.push_back(factor_->tile(t) + row * LowRankCovariances::width);
  marginals_ = {Vector::Constant(prior_variances_.size(), prior.mean), prior_variances_};
}

// The row of L^-1 Phi that belongs to a row of the posterior's factor, by the recursion that gives rows of V,
// math.md eq. (6.1): only that a point is its column of F.
bool LowRankPool::add(Index row) {
  const Index rank = factor_->rank();
  const FactorRow& observed = posterior_.rows()[at(row)];
  Vector g;
  if (observed.pool_row && !posterior_.tiles().is_guest(*observed.pool_row)) {
    g = factor_->pool_column(*observed.pool_row);
  } else {
    g = factor_->column(observed.x);
    const double rest = prior_.kernel->diagonal(observed.x)(0) - g.squaredNorm();
    if (rest > 100.0 * low_rank_tolerance * largest_prior_variance_) return false;
  }
  const double* l = posterior_.factor().row(row);
  for (Index p = 0; p < row; ++p) g -= l[p] * Eigen::Map<const Vector>(g_.data() + p * rank, rank);
  g /= l[row];
  g_.insert(g_.end(), g.begin(), g.end());
  least_noise_seen_ = std::min(least_noise_seen_, std::max(observed.noise, 1e-12 * largest_prior_variance_));
  return true;
}

// Rows that were added have changed.
void LowRankPool::start_again() {
  epoch_ = posterior_.removals();
  z_version_ = posterior_.z_version();
  std::fill(seen_.begin(), seen_.end(), 0);
  std::fill(means_of_.begin(), means_of_.end(), z_version_);
  marginals_.mean.setConstant(prior_.mean);
  marginals_.variance = prior_variances_;
  g_.clear();
  rows_ = 0;
  least_noise_seen_ = std::numeric_limits<double>::infinity();
}

bool LowRankPool::follow() {
  if (posterior_.removals() != epoch_) start_again();
  z_version_ = posterior_.z_version();  // tiles fold their means again when they are refreshed
  for (; rows_ < posterior_.size(); ++rows_)
    if (!add(rows_)) return false;
  // |L^-1 e| <= sqrt(n / least noise) max |e|, and a variance changes by twice that times |v| <= a, beside
  // what F leaves itself: math.md eq. (6.2), ten times.
  const double left = 10.0 * low_rank_tolerance * largest_prior_variance_;
  const double spread =
      rows_ == 0 ? 0.0 : std::sqrt(static_cast<double>(rows_) * largest_prior_variance_ / least_noise_seen_);
  error_ = left * (1.0 + 2.0 * spread);
  return error_ < 1e-6 * largest_prior_variance_;
}

void LowRankPool::refresh(Index tile) {
  Index &seen = seen_[at(tile)], &means_of = means_of_[at(tile)];
  if (means_of != z_version_) {
    const Index begin = tile * tile_width(), end = std::min(begin + tile_width(), marginals_.mean.size());
    marginals_.mean.segment(begin, end - begin).setConstant(prior_.mean);
    fold(tile, 0, seen, true);
    means_of = z_version_;
  }
  if (seen == rows_) return;
  fold(tile, seen, rows_, false);
  seen = rows_;
}

// Rows from..to-1 into variances and means of a tile.
void LowRankPool::fold(Index tile, Index from, Index to, bool means_alone) {
  if (from == to) return;
  constexpr Index width = PoolTiles::width;
  const Index last = std::min((tile + 1) * together, factor_->tiles());
  const Index slabs_per_tile = (factor_->rank() + numerics::slab_rows - 1) / numerics::slab_rows;
  const auto fold_low_rank = numerics::kernels().tiles.fold_low_rank;
  for (Index part = tile * together; part < last; ++part) {
    const Index begin = part * width, wide = posterior_.tiles().columns(part);
    const auto fold_part = [&](double* variance, double* mean) {
      const numerics::TileView<double> view{nullptr, slabs_.data() + part * slabs_per_tile};
      fold_low_rank(view, factor_->rank(), g_.data(), from, to, posterior_.z().data(), variance, mean);
    };
    if (wide == width && !means_alone) {
      fold_part(marginals_.variance.data() + begin, marginals_.mean.data() + begin);
      continue;
    }
    double variance[width] = {}, mean[width] = {};  // the last tile of the pool is not full
    std::copy_n(marginals_.variance.data() + begin, wide, variance);
    std::copy_n(marginals_.mean.data() + begin, wide, mean);
    fold_part(variance, mean);
    if (!means_alone) std::copy_n(variance, wide, marginals_.variance.data() + begin);
    std::copy_n(mean, wide, marginals_.mean.data() + begin);
  }
}

Marginals LowRankPool::exact_at(std::span<const Index> rows) const {
  return posterior_.exact_at(rows);
}

}  // namespace acuity
