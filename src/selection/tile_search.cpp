#include "selection/tile_search.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <mutex>

#include "acuity/data/observation.hpp"
#include "numerics/denormals.hpp"
#include "numerics/dispatch.hpp"
#include "numerics/parallel.hpp"

namespace acuity {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

// Everything at least this good may tie with the best: the tie rule's 1e-9 (math.md 5.2) and room for the
// rounding of two ways to compute the same value.
double tie_cutoff(double best) {
  return best - 2e-9 * best;
}

}  // namespace

// Room for the lines of one tile and the levels.
struct TileSearch::Lines {
  std::vector<double> variance, intercept, slope, smallest;
  Lines(Index width, std::size_t levels)
      : variance(at(width)), intercept(at(width)), slope(at(width)), smallest(levels) {}
};

TileSearch::TileSearch(const Offer& offer, const Acquisition& acquisition, int threads)
    : offer_(offer),
      acquisition_(acquisition),
      threads_(threads > 0 ? threads : numerics::default_threads()) {
  const double variance = 1.0, base = 1.0;
  double intercept = 0.0, slope = 0.0;
  possible_ = acquisition.ranking != Ranking::random &&
              acquisition.information->lines(&variance, &base, 1, &intercept, &slope);
  constant_noise_ = offer.base_noise.size() > 0 && offer.base_noise.minCoeff() == offer.base_noise.maxCoeff();
}

void TileSearch::set_levels(const std::vector<Index>& levels) {
  levels_ = levels;
  const std::size_t padded =
      (levels.size() + numerics::level_padding - 1) / numerics::level_padding * numerics::level_padding;
  added_.assign(padded, 0.0);
  inverse_cost_.assign(padded, 0.0);
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const Level& level = offer_.levels[at(levels[k])];
    added_[k] = noise_variance(level.channel);
    inverse_cost_[k] = acquisition_.ranking == Ranking::information ? 1.0 : 1.0 / level.cost;
  }
}

// Bounds hold while variances fall, points only leave and levels only become too dear. Whatever is new to
// that starts again.
void TileSearch::forget_if_outdated(const LaggingPool& pool, const Candidates& candidates) {
  const Index size = pool.so_far().variance.size(), width = pool.tile_width();
  const Index tiles = (size + width - 1) / width;
  const std::vector<Index> levels = levels_in_play(offer_, acquisition_, candidates);
  const double remaining = candidates.remaining + candidates.slack;
  const bool more_levels = !std::includes(levels_.begin(), levels_.end(), levels.begin(), levels.end()) ||
                           (acquisition_.continuous && remaining > remaining_);
  const bool all = pool.epoch() != epoch_ || size != pool_size_ || more_levels;
  if (levels != levels_) set_levels(levels);
  remaining_ = remaining;
  epoch_ = pool.epoch();
  pool_size_ = size;
  std::vector<char> open = candidates.open;
  if (open.empty()) open.assign(at(size), 1);
  if (all) {
    heap_.clear();
    for (Index tile = 0; tile < tiles; ++tile) heap_.push_back({infinite, tile});
  } else if (open != open_) {
    bool opened = false;
    for (Entry& entry : heap_) {
      const Index first = entry.tile * width, last = std::min(size, first + width);
      if (std::memcmp(&open[at(first)], &open_[at(first)], at(last - first)) == 0) continue;
      for (Index i = first; i < last; ++i)
        if (open[at(i)] != 0 && open_[at(i)] == 0) entry.bound = infinite, opened = true;
    }
    if (opened) std::make_heap(heap_.begin(), heap_.end());
  }
  open_ = std::move(open);
}

// The best value among open points first .. first + count - 1, by their lines: one logarithm a level.
double TileSearch::value_of(Index first, Index count, const double* variance, const Candidates& candidates,
                            Lines& lines) const {
  if (acquisition_.continuous && acquisition_.ranking == Ranking::information_per_cost)
    return value_at_best_precision(first, count, variance, candidates);
  Index used = 0;
  const double* base = offer_.base_noise.data() + first;
  double one_base = 0.0;
  if (constant_noise_) {  // then the largest variance is the best, whatever the level
    double largest = -1.0;
    for (Index i = 0; i < count; ++i)
      if (open_[at(first + i)] != 0) largest = std::max(largest, variance[i]);
    if (largest < 0.0) return 0.0;
    lines.variance[0] = largest;
    one_base = base[0];
    used = 1;
    acquisition_.information->lines(lines.variance.data(), &one_base, 1, lines.intercept.data(),
                                    lines.slope.data());
  } else {
    acquisition_.information->lines(variance, base, count, lines.intercept.data(), lines.slope.data());
    for (Index i = 0; i < count; ++i) {
      if (open_[at(first + i)] == 0) continue;
      lines.intercept[at(used)] = lines.intercept[at(i)];
      lines.slope[at(used++)] = lines.slope[at(i)];
    }
    if (used == 0) return 0.0;
  }
  const numerics::Kernels& kernels = numerics::kernels();
  const auto levels = static_cast<std::ptrdiff_t>(added_.size());
  std::fill(lines.smallest.begin(), lines.smallest.end(), infinite);
  kernels.lowest_lines(lines.intercept.data(), lines.slope.data(), used, added_.data(), levels,
                       lines.smallest.data());
  return kernels.best_merit(lines.smallest.data(), inverse_cost_.data(), levels);
}

double TileSearch::value_at_best_precision(Index first, Index count, const double* variance,
                                           const Candidates& candidates) const {
  const Marginals belief{Vector::Zero(count), Eigen::Map<const Vector>(variance, count)};
  Offer here;
  here.base_noise = offer_.base_noise.segment(first, count);
  double best = 0.0;
  Index largest = -1;
  const auto look = [&](Index i) {
    const std::optional<BestPrecision> found = acquisition_.information->best_precision_at(
        belief, here, i, *acquisition_.continuous, candidates.remaining + candidates.slack);
    if (found) best = std::max(best, found->value);
  };
  for (Index i = 0; i < count; ++i) {
    if (open_[at(first + i)] == 0) continue;
    if (!constant_noise_)
      look(i);
    else if (largest < 0 || variance[i] > variance[largest])
      largest = i;
  }
  if (largest >= 0) look(largest);
  return best;
}

// Any number of threads take the tile of the highest bound each, until no bound is left that could matter.
// Which tiles are refreshed on the way depends on their race; what a refreshed tile holds does not, and every
// tile that matters is refreshed. Gives those that were, with their values.
std::vector<TileSearch::Entry> TileSearch::refresh_in_order(LaggingPool& pool, const Candidates& candidates) {
  const Index width = pool.tile_width(), size = pool_size_;
  std::vector<Entry> fresh;
  double best = 0.0;
  std::mutex mutex;
  // Values within the error of the belief are not told apart here; who asked decides.
  const double error = pool.error();
  const auto matters = [&](const Entry& entry) {
    return entry.bound == infinite || entry.bound >= tie_cutoff(best);
  };
  const auto work = [&] {
    const numerics::FlushDenormals flush;
    constexpr std::size_t together = 4;
    Lines lines(width, added_.size());
    std::vector<Entry> mine;
    std::vector<double> upper(at(width)), lower(at(width));
    for (;;) {
      {
        const std::lock_guard lock(mutex);
        fresh.insert(fresh.end(), mine.begin(), mine.end());
        mine.clear();
        while (mine.size() < together && !heap_.empty() && matters(heap_.front())) {
          std::pop_heap(heap_.begin(), heap_.end());
          mine.push_back(heap_.back());
          heap_.pop_back();
        }
      }
      if (mine.empty()) return;
      double found = 0.0;
      for (Entry& entry : mine) {
        pool.refresh(entry.tile);
        const Index first = entry.tile * width, count = std::min(width, size - first);
        const double* variance = pool.so_far().variance.data() + first;
        if (error == 0.0) {
          entry.bound = value_of(first, count, variance, candidates, lines);
          found = std::max(found, entry.bound);
          continue;
        }
        for (Index i = 0; i < count; ++i) {
          upper[at(i)] = variance[i] + error;
          lower[at(i)] = std::max(variance[i] - error, 0.0);
        }
        entry.bound = value_of(first, count, upper.data(), candidates, lines);
        found = std::max(found, value_of(first, count, lower.data(), candidates, lines));
      }
      const std::lock_guard lock(mutex);
      best = std::max(best, found);
    }
  };
  const int useful = pool_size_ < 20'000 ? 1 : threads_;
  numerics::on_threads(useful, work);
  for (const Entry& entry : fresh) {
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end());
  }
  std::erase_if(fresh, [&](const Entry& entry) { return entry.bound < tie_cutoff(best); });
  std::sort(fresh.begin(), fresh.end(), [](const Entry& a, const Entry& b) { return a.tile < b.tile; });
  if (best == 0.0 || best == infinite) fresh.clear();
  return fresh;
}

std::optional<std::vector<Index>> TileSearch::leaders(LaggingPool& pool, const Candidates& candidates) {
  forget_if_outdated(pool, candidates);
  if (!acquisition_.continuous && levels_.empty()) return std::vector<Index>{};
  const std::vector<Entry> tiles = refresh_in_order(pool, candidates);
  if (tiles.empty()) return std::nullopt;
  const Index width = pool.tile_width();
  Lines lines(width, added_.size());
  const double error = pool.error();
  const Vector& variance = pool.so_far().variance;
  // Two passes over the points of the tiles that are left: the best for certain, then all that may tie.
  std::vector<std::pair<Index, double>> points;
  double best = 0.0;
  for (const Entry& tile : tiles)
    for (Index i = tile.tile * width; i < std::min(pool_size_, (tile.tile + 1) * width); ++i) {
      if (open_[at(i)] == 0) continue;
      const double high = variance(i) + error, low = std::max(variance(i) - error, 0.0);
      const double value = value_of(i, 1, &high, candidates, lines);
      points.emplace_back(i, value);
      best = std::max(best, error == 0.0 ? value : value_of(i, 1, &low, candidates, lines));
    }
  std::vector<Index> rows;
  for (const auto& [row, value] : points)
    if (value >= tie_cutoff(best)) rows.push_back(row);
  return rows;
}

}  // namespace acuity
