#include "selection/priced_tile_search.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "acquisition/tie.hpp"
#include "acuity/base/interruption.hpp"
#include "acuity/data/observation.hpp"
#include "base/parallel.hpp"
#include "data/as_size.hpp"
#include "numerics/denormals.hpp"
#include "numerics/infinite.hpp"

namespace acuity {

namespace {

double information_on(double intercept, double slope, double noise) {
  return 0.5 * std::log1p(1.0 / (intercept + slope * noise));
}

}  // namespace

PricedTileSearch::PricedTileSearch(const Offer& offer, const Acquisition& acquisition, int threads)
    : offer_(offer), acquisition_(acquisition), threads_(threads > 0 ? threads : base::default_threads()) {
  if (acquisition.continuous || offer.base_noise.size() == 0) return;
  lines_ = lines_of(*acquisition.information);
}

// Stored information is an upper bound while variances fall and points are closed.
void PricedTileSearch::start_if_changed(const LaggingPool& pool, const Candidates& candidates) {
  std::vector<Level> levels;
  for (const Index k : levels_in_play(offer_, acquisition_, candidates)) {
    const acuity::Level& level = offer_.levels[at(k)];
    levels.push_back({.index = k, .noise = noise_variance(level.channel), .cost = level.cost});
  }
  const auto same_level = [](const Level& a, const Level& b) { return a.index == b.index; };
  const bool same_levels =
      std::equal(levels.begin(), levels.end(), levels_.begin(), levels_.end(), same_level);
  const Index size = pool.so_far().variance.size();
  const bool same_pool = pool.epoch() == epoch_ && size == pool_size_ && pool.tile_width() == width_;
  unsigned opened = same_pool ? 0U : 1U;
  const char* open = candidates.open().data();  // without an early end, so that it takes vectors
  for (std::size_t i = 0, known = same_pool ? open_.size() : 0; i < known; ++i)
    opened |= static_cast<unsigned>(open[i] != 0) & static_cast<unsigned>(open_[i] == 0);
  open_ = candidates.open();
  if (same_levels && opened == 0) return;
  levels_ = std::move(levels);
  epoch_ = pool.epoch();
  pool_size_ = size;
  width_ = pool.tile_width();
  const std::vector<double> unknown(levels_.size(), infinite);
  tiles_.assign(at((size + width_ - 1) / width_), {.choice = -1, .information = unknown, .reached = {}});
  if (!pool.has_bounds()) return;
  for (std::size_t t = 0; t < tiles_.size(); ++t)
    tiles_[t].information = highest_information(pool, static_cast<Index>(t), [](double s) { return s; });
}

// At each level: the lowest line of the open points of a tile, whose variances may be these.
template <typename Shifted>
std::vector<double> PricedTileSearch::highest_information(const LaggingPool& pool, Index tile,
                                                          const Shifted& shifted) const {
  const Index first = tile * width_, count = std::min(width_, pool_size_ - first);
  const Vector& variance = pool.so_far().variance;
  std::vector<double> lowest(levels_.size(), infinite);
  for (Index i = first; i < first + count; ++i) {
    if (open_[at(i)] == 0) continue;
    const double s = shifted(variance(i)), base = offer_.base_noise(i);
    double intercept = 0.0, slope = 0.0;
    lines_->at(&s, &base, 1, &intercept, &slope);
    for (std::size_t k = 0; k < levels_.size(); ++k)
      lowest[k] = std::min(lowest[k], intercept + slope * levels_[k].noise);
  }
  for (double& line : lowest) line = 0.5 * std::log1p(1.0 / line);
  return lowest;
}

void PricedTileSearch::refresh(LaggingPool& pool, Index tile) {
  pool.refresh(tile);
  const VarianceError error = pool.error();
  Tile& updated = tiles_[at(tile)];
  // Of the highest variances that are possible, and of the lowest.
  updated.information = highest_information(pool, tile, [&](double s) { return error.at_most(s); });
  updated.reached = error.largest() == 0.0
                        ? updated.information
                        : highest_information(pool, tile, [&](double s) { return error.at_least(s); });
  updated.choice = choice_;
}

// Refreshes tiles in the order of their bounds until none is left that could matter: all whose bound is not
// below the result by more than the slack are up to date then. Returns the highest value that is certainly
// reached.
template <typename Value>
double PricedTileSearch::best_reached(LaggingPool& pool, const Value& value, double slack) {
  const auto highest = [&](const std::vector<double>& information) {
    double best = -infinite;
    for (std::size_t k = 0; k < information.size(); ++k) best = std::max(best, value(k, information[k]));
    return best;
  };
  struct Bound {
    double value;
    std::size_t tile;
    bool operator<(const Bound& other) const {  // the highest is first in a heap, and of equal ones the first
      return value < other.value || (value == other.value && tile > other.tile);
    }
  };
  std::vector<Bound> heap(tiles_.size());
  double best = -infinite;
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    heap[t] = {highest(tiles_[t].information), t};
    if (tiles_[t].choice == choice_) best = std::max(best, highest(tiles_[t].reached));
  }
  std::make_heap(heap.begin(), heap.end());
  std::mutex mutex;
  const auto work = [&] {
    const numerics::FlushDenormals flush;
    double found = -infinite;
    for (;;) {
      std::size_t tile = 0;
      {
        const std::lock_guard lock(mutex);
        best = std::max(best, found);
        if (heap.empty() || heap.front().value < tie_cutoff(best) - slack) return;
        tile = heap.front().tile;
        std::pop_heap(heap.begin(), heap.end());
        heap.pop_back();
      }
      check_interruption();
      if (tiles_[tile].choice != choice_) refresh(pool, static_cast<Index>(tile));
      found = std::max(found, highest(tiles_[tile].reached));
    }
  };
  base::on_threads(pool_size_ < 20'000 ? 1 : threads_, work);
  return best;
}

// The open rows of tiles that are up to date whose value at some level may be `least` or more.
template <typename Value>
std::vector<Index> PricedTileSearch::rows_above(const LaggingPool& pool, const Value& value,
                                                double least) const {
  const VarianceError error = pool.error();
  const Vector& variance = pool.so_far().variance;
  std::vector<Index> rows;
  for (std::size_t t = 0; t < tiles_.size(); ++t) {
    if (tiles_[t].choice != choice_) continue;
    std::vector<std::size_t> leading;
    for (std::size_t k = 0; k < levels_.size(); ++k)
      if (value(k, tiles_[t].information[k]) >= least) leading.push_back(k);
    if (leading.empty()) continue;
    const Index first = static_cast<Index>(t) * width_, last = std::min(pool_size_, first + width_);
    for (Index i = first; i < last; ++i) {
      if (open_[at(i)] == 0) continue;
      const double s = error.at_most(variance(i)), base = offer_.base_noise(i);
      double intercept = 0.0, slope = 0.0;
      lines_->at(&s, &base, 1, &intercept, &slope);
      for (const std::size_t k : leading)
        if (value(k, information_on(intercept, slope, levels_[k].noise)) >= least) {
          rows.push_back(i);
          break;
        }
    }
  }
  return rows;
}

std::optional<std::vector<Index>> PricedTileSearch::best_ratios(LaggingPool& pool,
                                                                const Candidates& candidates) {
  start_if_changed(pool, candidates);
  if (levels_.empty()) return std::nullopt;
  ++choice_;
  const auto ratio = [this](std::size_t k, double information) { return information / levels_[k].cost; };
  const double best_ratio = best_reached(pool, ratio, 0.0);
  if (!(best_ratio > 0.0) || best_ratio == infinite) return std::nullopt;
  return rows_above(pool, ratio, tie_cutoff(best_ratio));
}

std::vector<Index> PricedTileSearch::leaders(LaggingPool& pool, double shadow_price) {
  double highest_cost = 0.0;
  for (const Level& level : levels_) highest_cost = std::max(highest_cost, level.cost);
  // The tie rule, and as much again for rounding.
  const double slack = tie_slack * shadow_price * highest_cost;
  const auto value = [&](std::size_t k, double information) {
    return information - shadow_price * levels_[k].cost;
  };
  const double best = best_reached(pool, value, slack);
  return rows_above(pool, value, tie_cutoff(best) - slack);
}

}  // namespace acuity
