#include "model/screened_pool.hpp"

#include <algorithm>
#include <cmath>

#include "data/as_size.hpp"
#include "model/noise_floor.hpp"

namespace acuity {

namespace {

constexpr double unit_roundoff = 0x1p-24;  // of float

// Rows from..to-1 of a column of V: the covariances, and what the rows before them explain.
double operations(Index from, Index to) {
  constexpr double covariance = 60.0;
  return static_cast<double>(to - from) * (static_cast<double>(to + from) + covariance);
}

}  // namespace

std::unique_ptr<ScreenedPool> ScreenedPool::make(const TiledPosterior& posterior, const Prior& prior,
                                                 std::size_t memory) {
  const auto* kernel = dynamic_cast<const StationaryKernel*>(prior.kernel.get());
  if (kernel == nullptr || posterior.tiles().size() == 0) return nullptr;
  // Far from the ends of what a float can hold, where rounding is no longer relative.
  const double amplitude = kernel->options().amplitude;
  if (!(amplitude > 1e-8 && amplitude < 1e8)) return nullptr;
  const std::size_t own = at(posterior.tiles().size()) *
                          (at(posterior.side().points.cols()) * sizeof(float) + 2 * sizeof(double));
  if (memory > 0 && memory < 2 * own) return nullptr;
  std::unique_ptr<ScreenedPool> made(new ScreenedPool(
      posterior, *kernel, posterior.tiles().in_single_precision(memory > 0 ? memory - own : 0)));
  return made->follow() ? std::move(made) : nullptr;
}

ScreenedPool::ScreenedPool(const TiledPosterior& posterior, const StationaryKernel& kernel,
                           std::unique_ptr<PoolTiles> tiles)
    : posterior_(posterior),
      prior_variance_(kernel.options().amplitude * kernel.options().amplitude),
      origin_(posterior.tiles().point(0).transpose()),
      inverse_lengthscales_(kernel.inverse_lengthscales(origin_.size())),
      tiles_(std::move(tiles)),
      epoch_(posterior.removals()) {
  const Vector away = (tiles_->highest() - origin_).cwiseMax(origin_ - tiles_->lowest());
  extent_ = away.cwiseProduct(inverse_lengthscales_).norm();
  categories_ = static_cast<double>(kernel.options().categories.size());
}

FactorSide ScreenedPool::side() const {
  return {posterior_.factor(), posterior_.side().points, anonymous_rows_, zero_answers_, 0};
}

bool ScreenedPool::follow() {
  const Index unchanged =
      std::min<Index>(posterior_.unchanged_since(epoch_), static_cast<Index>(drifts_.size()));
  zero_answers_ = Vector::Zero(posterior_.size());
  anonymous_rows_.resize(at(posterior_.size()));
  if (posterior_.removals() != epoch_) {
    for_each_tile(*tiles_, posterior_.threads(), [&](Index tile) { tiles_->cut(tile, side(), unchanged); });
    deciding_ = refreshing_ = 0.0;  // they were counted with the rows that are gone
  }
  epoch_ = posterior_.removals();
  drifts_.resize(at(unchanged));
  if (!bound_errors() || !pays()) return false;
  tiles_->follow(side(), unchanged);
  return true;
}

// What this row adds to the square of E: math.md eq. (6.3) over its noise.
double ScreenedPool::squared_drift(Index row) const {
  const FactorRow& observed = posterior_.rows()[at(row)];
  const Vector away = (observed.x.row(0).transpose() - origin_).cwiseProduct(inverse_lengthscales_);
  const double inputs = static_cast<double>(origin_.size());
  const double covariance = 0.64 * (extent_ + away.norm()) + 0.37 * (inputs + 2.0) + 16.0;
  constexpr auto group = static_cast<double>(numerics::group_rows);
  const double before = static_cast<double>(row), sums = std::min(before, 2.0 * group + before / group);
  // A category adds the rounding of its similarity and of one product.
  const double residual = unit_roundoff * prior_variance_ * (covariance + sums + 5.0 + 2.0 * categories_);
  return residual * residual / std::max(observed.noise, least_noise * prior_variance_);
}

bool ScreenedPool::bound_errors() {
  const Index n = posterior_.size();
  for (Index row = static_cast<Index>(drifts_.size()); row < n; ++row)
    drifts_.push_back((row == 0 ? 0.0 : drifts_.back()) + squared_drift(row));
  const double a = std::sqrt(prior_variance_), e = 1.1 * std::sqrt(n == 0 ? 0.0 : drifts_.back());
  const double squares = 0x1p-52 * static_cast<double>(n) * prior_variance_;
  error_ = {.absolute = 0x1p-24 * e * (2.0 * a + e) + squares, .root = e, .prior = prior_variance_};
  if (!(e <= 0.02 * a)) return false;  // beyond this the bound leaves out too much
  // The factor is that of the covariances within rounding, which has to be little beside the noise.
  return std::all_of(posterior_.rows().begin(), posterior_.rows().end(), [&](const FactorRow& row) {
    return row.noise >= 2e-14 * static_cast<double>(n * n) * prior_variance_ && row.noise < 1e15;
  });
}

bool ScreenedPool::tells_points_apart() const {
  constexpr Index tiles = 4;
  constexpr double most = 0.9;
  const Index size = posterior_.tiles().size(), count = std::min(size, tiles * PoolTiles::width);
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) rows.push_back(i * size / count);
  const Vector variance = posterior_.exact_at(rows).variance;
  const double enough = error_.at_least(variance.maxCoeff());
  const auto may_lead = [&](double one) { return error_.at_most(one) >= enough; };
  const auto leading = static_cast<double>(std::count_if(variance.begin(), variance.end(), may_lead));
  return leading <= most * static_cast<double>(count);
}

// In double precision the tiles would take about twice as long. The counts fade, so that it is the last
// choices that matter; a few points may be looked at whatever the tiles took.
bool ScreenedPool::pays() {
  const double allowed = 512.0 * operations(0, posterior_.size());
  if (deciding_ > 0.5 * refreshing_ + allowed) return false;
  deciding_ *= 0.9;
  refreshing_ = 0.9 * refreshing_;
  return true;
}

void ScreenedPool::refresh(Index tile) {
  const Index from = tiles_->seen(tile), to = posterior_.size();
  if (from == to) return;
  tiles_->catch_up(tile, side());
  refreshing_ += static_cast<double>(PoolTiles::width) * operations(from, to);
}

Marginals ScreenedPool::exact_at(std::span<const Index> rows) const {
  deciding_ += 2.0 * static_cast<double>(rows.size()) * operations(0, posterior_.size());
  return posterior_.exact_at(rows);
}

}  // namespace acuity
