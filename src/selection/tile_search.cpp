#include "selection/tile_search.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "acquisition/tie.hpp"
#include "acuity/base/interruption.hpp"
#include "base/parallel.hpp"
#include "data/as_size.hpp"
#include "numerics/denormals.hpp"
#include "numerics/dispatch.hpp"
#include "numerics/infinite.hpp"

namespace acuity {

// Room for the lines of one tile and the levels.
struct TileSearch::Lines {
  std::unique_ptr<double[]> intercept, slope, variance,
      noise;  // not set: they are written before they are read
  std::vector<double> smallest;
  Lines(Index width, std::size_t levels)
      : intercept(new double[at(width)]),
        slope(new double[at(width)]),
        variance(new double[at(width)]),
        noise(new double[at(width)]),
        smallest(levels) {}
};

TileSearch::TileSearch(const Offer& offer, const Acquisition& acquisition, int threads)
    : offer_(offer), acquisition_(acquisition), threads_(threads > 0 ? threads : base::default_threads()) {
  if (acquisition.ranking == Ranking::random || offer.base_noise.size() == 0) return;
  lines_ = lines_of(*acquisition.information);
  if (!lines_) return;
  base_noise_ = {offer.base_noise.lowest(), offer.base_noise.highest()};
  levels_.emplace(offer, acquisition, *lines_, base_noise_);
}

bool TileSearch::continuous() const {
  return acquisition_.continuous && acquisition_.ranking == Ranking::information_per_cost;
}

std::optional<std::vector<Index>> TileSearch::leaders(LaggingPool& pool, const Candidates& candidates) {
  forget_outdated_bounds(pool, candidates);
  if (!acquisition_.continuous && levels_->levels_in_play().empty()) return std::vector<Index>{};
  set_variance_error(pool.error());
  if (continuous())
    levels_->keep_all_levels(best_);
  else if (!levels_->is_current(best_))
    levels_->drop_levels(pool.so_far().variance.maxCoeff() + error_.largest(), best_);
  if (start_again_) take_bounds(pool, candidates);
  std::vector<Index> tiles = refresh_in_order(pool, candidates);
  if (levels_->bound_of_dropped_levels() >= tie_cutoff(best_) && best_ > 0.0) {
    levels_->keep_all_levels(best_);  // one that was dropped may win after all
    bounds_.forget();
    take_bounds(pool, candidates);
    tiles = refresh_in_order(pool, candidates);
  }
  if (!(best_ > 0.0) || best_ == infinite) return std::nullopt;
  const double least = tie_cutoff(best_) - value_slack_;
  return continuous() ? rows_worth(least, tiles, pool, candidates) : rows_worth_at_levels(least, tiles, pool);
}

// Bounds hold while variances fall, points are closed and levels become unaffordable.
void TileSearch::forget_outdated_bounds(const LaggingPool& pool, const Candidates& candidates) {
  const std::vector<Index> levels = acuity::levels_in_play(offer_, acquisition_, candidates),
                           &before = levels_->levels_in_play();
  const double remaining = candidates.largest_cost();
  const bool more_levels = !std::includes(before.begin(), before.end(), levels.begin(), levels.end()) ||
                           (acquisition_.continuous && remaining > remaining_);
  const bool start_again = more_levels || !bounds_.fit(pool);
  if (start_again || levels != before) {
    levels_->set_levels_in_play(levels);
    best_ = 0.0;
  }
  remaining_ = remaining;
  start_again_ = start_again;
  if (start_again)
    bounds_.start(pool, candidates.open());
  else
    bounds_.set_open(candidates.open());
}

// Where nothing has been looked at yet, what the pool knows of its tiles bounds their values.
void TileSearch::take_bounds(const LaggingPool& pool, const Candidates& candidates) {
  if (!pool.has_bounds()) return;
  std::vector<TileBounds::Entry>& tiles = bounds_.entries();
  const Index width = pool.tile_width();
  Lines lines(width, levels_->competitive_levels().added.size());
  for (TileBounds::Entry& entry : tiles) {
    const Index first = entry.tile * width, count = std::min(width, bounds_.pool_size() - first);
    const double* variance = pool.so_far().variance.data() + first;
    const double high = value_of(first, count, variance, Bound::upper, candidates, lines) + value_slack_;
    entry.bound = std::max(high, levels_->bound_of_dropped_levels());
  }
  bounds_.restore_order(tiles.size());
}

// A slack for all values is cheap. If the error is larger it would leave too many points: then values are
// computed from variances that are shifted by the error, which gives the tightest bounds.
void TileSearch::set_variance_error(const VarianceError& error) {
  error_ = error;
  value_slack_ = largest_value_change(error.largest());
  use_plain_variances_ = value_slack_ <= 1e-6 * best_;
  if (!use_plain_variances_) value_slack_ = 0.0;
}

// How much the best value of a point can change with its variance: no information rises faster with the
// variance than MI(answer; f) does at variance 0.
double TileSearch::largest_value_change(double variance_change) const {
  if (variance_change == 0.0) return 0.0;
  if (continuous()) {
    // At the highest precision, and at the lowest price.
    const ContinuousPrecision& range = *acquisition_.continuous;
    double cheapest = infinite;
    for (const Precision& end : {range.vaguest, range.sharpest})
      cheapest = std::min(cheapest, (*range.cost)(end.alpha));
    return variance_change /
           (2.0 * (base_noise_.lowest + range.law.gamma * range.sharpest.inverse) * cheapest);
  }
  const PaddedLevels& levels = levels_->padded_levels_in_play();
  double steepest = 0.0;
  for (std::size_t k = 0; k < levels_->levels_in_play().size(); ++k)
    steepest = std::max(steepest, levels.inverse_cost[k] / (base_noise_.lowest + levels.added[k]));
  return 0.5 * variance_change * steepest;
}

double TileSearch::shifted(double variance, Bound bound) const {
  if (use_plain_variances_) return variance;
  return bound == Bound::upper ? error_.at_most(variance) : error_.at_least(variance);
}

const double* TileSearch::shifted(const double* variance, Index count, Bound bound, Lines& lines) const {
  if (use_plain_variances_) return variance;
  for (Index i = 0; i < count; ++i) lines.variance[at(i)] = shifted(variance[i], bound);
  return lines.variance.get();
}

// Any number of threads take the tile of the highest bound each, until no bound is left that could matter.
// Which tiles are refreshed on the way depends on their race; what a refreshed tile holds does not, and every
// tile that matters is refreshed. Returns those that do, in the order of the pool.
std::vector<Index> TileSearch::refresh_in_order(LaggingPool& pool, const Candidates& candidates) {
  std::vector<TileBounds::Entry>& tiles = bounds_.entries();
  double best = 0.0;  // certainly reached
  std::size_t next = 0;
  std::mutex mutex;
  const auto work = [&] {
    const numerics::FlushDenormals flush;
    constexpr std::size_t together = 4;
    Lines lines(pool.tile_width(), levels_->competitive_levels().added.size());
    double found = 0.0;
    for (;;) {
      std::size_t begin = 0, end = 0;
      {
        const std::lock_guard lock(mutex);
        best = std::max(best, found);
        begin = end = next;
        while (end < tiles.size() && end < begin + together && tiles[end].bound >= tie_cutoff(best)) ++end;
        next = end;
      }
      if (begin == end) return;
      check_interruption();
      for (std::size_t k = begin; k < end; ++k)
        found = refresh_tile(pool, tiles[k], found, candidates, lines);
    }
  };
  try {
    base::on_threads(bounds_.pool_size() < 20'000 ? 1 : threads_, work);
  } catch (...) {  // bounds that were lowered hold, and so do the others; only their order is lost
    bounds_.restore_order(tiles.size());
    throw;
  }
  best_ = best;
  std::vector<Index> leading;
  for (std::size_t k = 0; k < next; ++k)
    if (tiles[k].bound >= tie_cutoff(best)) leading.push_back(tiles[k].tile);
  std::sort(leading.begin(), leading.end());
  bounds_.restore_order(next);
  return leading;
}

// Returns the best value that is certainly reached: `best_so_far`, or that of this tile.
double TileSearch::refresh_tile(LaggingPool& pool, TileBounds::Entry& entry, double best_so_far,
                                const Candidates& candidates, Lines& lines) const {
  pool.refresh(entry.tile);
  const Index width = pool.tile_width(), first = entry.tile * width;
  const Index count = std::min(width, bounds_.pool_size() - first);
  const double* variance = pool.so_far().variance.data() + first;
  const double high = value_of(first, count, variance, Bound::upper, candidates, lines);
  entry.bound = std::max(high + value_slack_, levels_->bound_of_dropped_levels());
  if (high - value_slack_ <= best_so_far) return best_so_far;
  const double low =
      use_plain_variances_ ? high : value_of(first, count, variance, Bound::lower, candidates, lines);
  return std::max(best_so_far, low - value_slack_);
}

// The best value among open points first .. first + count - 1, by their lines: one logarithm per level. Apart
// from the slack it is a bound if variances have errors.
double TileSearch::value_of(Index first, Index count, const double* variance, Bound bound,
                            const Candidates& candidates, Lines& lines) const {
  if (continuous())
    return value_at_best_precision(first, count, shifted(variance, count, bound, lines), candidates);
  Index used = 0;
  if (base_noise_.lowest == base_noise_.highest) {  // then the largest variance is the best at every level
    double largest = -1.0;
    for (Index i = 0; i < count; ++i)
      if (bounds_.is_open(first + i)) largest = std::max(largest, variance[i]);
    if (largest < 0.0) return 0.0;
    largest = shifted(largest, bound);
    used = 1;
    lines_->at(&largest, &base_noise_.lowest, 1, lines.intercept.get(), lines.slope.get());
  } else {
    lines_->at(shifted(variance, count, bound, lines), offer_.base_noise.run(first, count, lines.noise.get()),
               count, lines.intercept.get(), lines.slope.get());
    for (Index i = 0; i < count; ++i)
      lines.intercept[at(i)] = bounds_.is_open(first + i) ? lines.intercept[at(i)] : infinite;
    used = count;
  }
  const numerics::Kernels& kernels = numerics::kernels();
  const PaddedLevels& levels = levels_->competitive_levels();
  std::fill(lines.smallest.begin(), lines.smallest.end(), infinite);
  kernels.lowest_lines(lines.intercept.get(), lines.slope.get(), used, levels.added.data(), levels.count,
                       lines.smallest.data());
  return kernels.best_merit(lines.smallest.data(), levels.inverse_cost.data(),
                            static_cast<std::ptrdiff_t>(levels.added.size()));
}

double TileSearch::value_at_best_precision(Index first, Index count, const double* variance,
                                           const Candidates& candidates) const {
  const Marginals belief{Vector::Zero(count), Eigen::Map<const Vector>(variance, count)};
  Offer here;
  here.base_noise = offer_.base_noise.part(first, count);
  double best = 0.0;
  Index largest = -1;
  const auto look = [&](Index i) {
    const std::optional<BestPrecision> found = acquisition_.information->best_precision_at(
        belief, here, i, *acquisition_.continuous, candidates.largest_cost());
    if (found) best = std::max(best, found->value);
  };
  for (Index i = 0; i < count; ++i) {
    if (!bounds_.is_open(first + i)) continue;
    if (base_noise_.lowest != base_noise_.highest)
      look(i);
    else if (largest < 0 || variance[i] > variance[largest])
      largest = i;
  }
  if (largest >= 0) look(largest);
  return best;
}

// The open rows of these tiles that may be worth `least` or more, looked at one by one.
std::vector<Index> TileSearch::rows_worth(double least, const std::vector<Index>& tiles,
                                          const LaggingPool& pool, const Candidates& candidates) const {
  const Index width = pool.tile_width();
  const Vector& variance = pool.so_far().variance;
  Lines lines(width, levels_->competitive_levels().added.size());
  std::vector<Index> rows;
  for (const Index tile : tiles)
    for (Index i = tile * width; i < std::min(bounds_.pool_size(), (tile + 1) * width); ++i)
      if (bounds_.is_open(i) && value_of(i, 1, &variance(i), Bound::upper, candidates, lines) >= least)
        rows.push_back(i);
  return rows;
}

// The same without a logarithm per row: a point is worth `least` at a level if its line is low enough there.
std::vector<Index> TileSearch::rows_worth_at_levels(double least, const std::vector<Index>& tiles,
                                                    const LaggingPool& pool) const {
  const PaddedLevels& levels = levels_->competitive_levels();
  std::vector<double> low_enough(levels.added.size(), -1.0);
  for (std::size_t k = 0; k < low_enough.size(); ++k)
    if (levels.inverse_cost[k] > 0.0)
      low_enough[k] = (1.0 + 1e-12) / std::expm1(2.0 * std::max(least, 0.0) / levels.inverse_cost[k]);
  const Index width = pool.tile_width();
  const Vector& variance = pool.so_far().variance;
  Lines lines(width, levels.added.size());
  std::vector<Index> rows;
  for (const Index tile : tiles) {
    const Index first = tile * width, count = std::min(width, bounds_.pool_size() - first);
    lines_->at(shifted(&variance(first), count, Bound::upper, lines),
               offer_.base_noise.run(first, count, lines.noise.get()), count, lines.intercept.get(),
               lines.slope.get());
    for (Index i = 0; i < count; ++i) {
      if (!bounds_.is_open(first + i)) continue;
      bool leads = false;
      for (std::size_t k = 0; k < at(levels.count) && !leads; ++k)
        leads = lines.intercept[at(i)] + levels.added[k] * lines.slope[at(i)] <= low_enough[k];
      if (leads) rows.push_back(first + i);
    }
  }
  return rows;
}

}  // namespace acuity
