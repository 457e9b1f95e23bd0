#include "model/low_rank_pool.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/as_size.hpp"
#include "numerics/dispatch.hpp"

namespace acuity {

namespace {

// The variance that F may leave at a point, beside the prior variance: near what rounding leaves anyway.
constexpr double tolerance = 1e-13;

}  // namespace

// Pivoted Cholesky: the point about which most is unknown becomes the next row.
std::unique_ptr<LowRankPool::Factor> LowRankPool::factorise(const Prior& prior, const Points& pool,
                                                            double enough, Index most) {
  auto factor = std::make_unique<Factor>();
  factor->tiles = PoolTiles::make(prior, pool, {}, PoolTiles::Keep::all);
  factor->points.resize(most, pool.cols());
  factor->z = Vector::Zero(most);
  for (;;) {
    for (Index tile = 0; tile < factor->tiles->count(); ++tile) factor->tiles->catch_up(tile, factor->side());
    Index row = 0;
    factor->residual = factor->tiles->marginals().variance.maxCoeff(&row);
    if (factor->residual <= enough) return factor;
    if (factor->rank == most) return nullptr;
    Vector l(factor->rank);
    factor->tiles->column(row, l.data(), factor->rank);
    factor->points.row(factor->rank) = pool.row(row);
    // No pool row: the pivot's own variance is to be what subtraction leaves, not what an annotation would.
    factor->rows.push_back({.x = pool.row(row), .pool_row = std::nullopt});
    factor->pivots.append(l.data(), std::sqrt(factor->residual));
    ++factor->rank;
    factor->tiles->follow(factor->side(), factor->rank - 1);
  }
}

std::unique_ptr<LowRankPool> LowRankPool::make(const TiledPosterior& posterior, const Prior& prior,
                                               Index most) {
  const PoolTiles& tiles = posterior.tiles();
  const auto every = [&](Index step) {
    Points points((tiles.size() + step - 1) / step, tiles.point(0).cols());
    for (Index i = 0; i < points.rows(); ++i) points.row(i) = tiles.point(i * step);
    return points;
  };
  Prior plain;  // the points are scaled already
  plain.kernel = prior.kernel;
  const double enough = tolerance * prior.kernel->diagonal(tiles.point(0))(0);
  // Some of the points need no more rows than all of them: most pools that are no use are found out cheaply.
  constexpr Index few = 512;
  if (tiles.size() > 4 * few && !factorise(plain, every(tiles.size() / few), enough, most)) return nullptr;
  std::unique_ptr<Factor> factor = factorise(plain, every(1), enough, most);
  if (!factor) return nullptr;
  std::unique_ptr<LowRankPool> made(new LowRankPool(posterior, prior, std::move(factor)));
  return made->follow() ? std::move(made) : nullptr;
}

LowRankPool::LowRankPool(const TiledPosterior& posterior, const Prior& prior, std::unique_ptr<Factor> factor)
    : posterior_(posterior),
      prior_(prior),
      factor_(std::move(factor)),
      prior_variance_(prior.kernel->diagonal(posterior.tiles().point(0))(0)),
      seen_(at((posterior.tiles().count() + together - 1) / together), 0),
      means_of_(seen_.size(), posterior.z_version()),
      epoch_(posterior.removals()),
      z_version_(posterior.z_version()),
      least_noise_seen_(std::numeric_limits<double>::infinity()) {
  const Index size = posterior.tiles().size();
  marginals_ = {Vector::Constant(size, prior.mean), Vector::Constant(size, prior_variance_)};
}

// The row of L^-1 Phi that belongs to a row of the posterior's factor, by the recursion that gives rows of V,
// math.md eq. (6.1): only that a point is its column of F.
bool LowRankPool::take(Index row) {
  const Index rank = factor_->rank;
  const FactorRow& told = posterior_.rows()[at(row)];
  Vector g(rank);
  if (told.pool_row) {
    factor_->tiles->column(*told.pool_row, g.data(), rank);
  } else {
    g = prior_.kernel->cross(factor_->points.topRows(rank), told.x);
    factor_->pivots.solve(g.data());
    if (prior_variance_ - g.squaredNorm() > 100.0 * tolerance * prior_variance_) return false;
  }
  const double* l = posterior_.factor().row(row);
  for (Index p = 0; p < row; ++p) g -= l[p] * Eigen::Map<const Vector>(g_.data() + p * rank, rank);
  g /= l[row];
  g_.insert(g_.end(), g.begin(), g.end());
  least_noise_seen_ = std::min(least_noise_seen_, std::max(told.noise, 1e-12 * prior_variance_));
  return true;
}

// Rows that were taken in have changed.
void LowRankPool::start_again() {
  epoch_ = posterior_.removals();
  z_version_ = posterior_.z_version();
  std::fill(seen_.begin(), seen_.end(), 0);
  std::fill(means_of_.begin(), means_of_.end(), z_version_);
  marginals_.mean.setConstant(prior_.mean);
  marginals_.variance.setConstant(prior_variance_);
  g_.clear();
  rows_ = 0;
  least_noise_seen_ = std::numeric_limits<double>::infinity();
}

bool LowRankPool::follow() {
  if (posterior_.removals() != epoch_) start_again();
  z_version_ = posterior_.z_version();  // tiles fold their means anew when they are refreshed
  for (; rows_ < posterior_.size(); ++rows_)
    if (!take(rows_)) return false;
  // |L^-1 e| <= sqrt(n / least noise) max |e|, and a variance changes by twice that times |v| <= a, beside
  // what F leaves itself: math.md eq. (6.2), ten times.
  const double left = 10.0 * tolerance * prior_variance_;
  const double spread =
      rows_ == 0 ? 0.0 : std::sqrt(static_cast<double>(rows_) * prior_variance_ / least_noise_seen_);
  error_ = left * (1.0 + 2.0 * spread);
  return error_ < 1e-6 * prior_variance_;
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
  const Index last = std::min((tile + 1) * together, factor_->tiles->count());
  const auto fold_low_rank = numerics::kernels().tiles.fold_low_rank;
  for (Index part = tile * together; part < last; ++part) {
    const Index begin = part * width, wide = factor_->tiles->columns(part);
    const auto fold_part = [&](double* variance, double* mean) {
      fold_low_rank(factor_->tiles->view(part), factor_->rank, g_.data(), from, to, posterior_.z().data(),
                    variance, mean);
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
