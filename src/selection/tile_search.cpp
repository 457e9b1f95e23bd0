#include "selection/tile_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>

#include "acquisition/tie.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/numerics/interruption.hpp"
#include "data/as_size.hpp"
#include "numerics/denormals.hpp"
#include "numerics/dispatch.hpp"
#include "numerics/infinite.hpp"
#include "numerics/parallel.hpp"

namespace acuity {

namespace {

// Looked at first.
const auto higher = [](const auto& a, const auto& b) {
  return a.bound > b.bound || (a.bound == b.bound && a.tile < b.tile);
};

}  // namespace

// Room for the lines of one tile and the levels.
struct TileSearch::Lines {
  std::unique_ptr<double[]> intercept, slope, variance;  // not set: they are written before they are read
  std::vector<double> smallest;
  Lines(Index width, std::size_t levels)
      : intercept(new double[at(width)]),
        slope(new double[at(width)]),
        variance(new double[at(width)]),
        smallest(levels) {}
};

TileSearch::TileSearch(const Offer& offer, const Acquisition& acquisition, int threads)
    : offer_(offer),
      acquisition_(acquisition),
      threads_(threads > 0 ? threads : numerics::default_threads()) {
  if (acquisition.ranking == Ranking::random || offer.base_noise.size() == 0) return;
  lines_ = lines_of(*acquisition.information);
  if (!possible()) return;
  least_base_ = offer.base_noise.minCoeff();
  largest_base_ = offer.base_noise.maxCoeff();
}

bool TileSearch::continuous() const {
  return acquisition_.continuous && acquisition_.ranking == Ranking::information_per_cost;
}

void TileSearch::Levels::set(const std::vector<std::pair<double, double>>& noise_and_cost) {
  const std::size_t padded = (noise_and_cost.size() + numerics::level_padding - 1) / numerics::level_padding *
                             numerics::level_padding;
  count = static_cast<std::ptrdiff_t>(noise_and_cost.size());
  added.assign(padded, 0.0);
  inverse_cost.assign(padded, 0.0);
  for (std::size_t k = 0; k < noise_and_cost.size(); ++k) {
    added[k] = noise_and_cost[k].first;
    inverse_cost[k] = 1.0 / noise_and_cost[k].second;
  }
}

void TileSearch::set_levels(const std::vector<Index>& levels) {
  levels_ = levels;
  std::vector<std::pair<double, double>> noise_and_cost;
  for (const Index k : levels) {
    const Level& level = offer_.levels[at(k)];
    noise_and_cost.emplace_back(noise_variance(level.channel),
                                acquisition_.ranking == Ranking::information ? 1.0 : level.cost);
  }
  all_.set(noise_and_cost);
}

// The best of these levels at a point.
double TileSearch::value_at(double variance, double base_noise, const Levels& levels) const {
  double intercept = 0.0, slope = 0.0;
  lines_->at(&variance, &base_noise, 1, &intercept, &slope);
  std::vector<double> line(levels.added.size());
  for (std::size_t k = 0; k < line.size(); ++k) line[k] = intercept + slope * levels.added[k];
  return numerics::kernels().best_merit(line.data(), levels.inverse_cost.data(),
                                        static_cast<std::ptrdiff_t>(line.size()));
}

// The best noise rises with the signal and with the noise that no level removes (math.md 5.5). So over a box
// of signals and floors all levels finer than the winner at its low corner, and all coarser than the winner
// at its high corner, cannot win. The box leaves out points of so little variance that they are worth half of
// what the last choice was, or less; what they may be worth is remembered.
void TileSearch::leave_out_levels(const LaggingPool& pool) {
  // Variances and the best value only fall: what was left out stays so until the best has come down a good
  // deal.
  const bool still_right = best_when_left_out_ > 0.0 && best_ > 0.75 * best_when_left_out_;
  if (!some_.added.empty() && still_right) return;
  best_when_left_out_ = best_;
  const std::size_t count = levels_.size();
  some_ = all_;
  overlooked_ = 0.0;
  if (count < 2 || continuous()) return;
  const double highest = pool.so_far().variance.maxCoeff() + error_.largest();
  double low = 1e-9 * highest;
  const auto worth = [&](double variance) {
    return std::max(value_at(variance, least_base_, all_), value_at(variance, largest_base_, all_));
  };
  if (best_ > 0.0) {
    double high = highest;
    // Nine decades are halved to less than a factor of 1.5 in six steps. A product of the two may be no
    // number.
    for (int step = 0; step < 64 && high > 1.5 * low; ++step) {
      const double middle = std::sqrt(low) * std::sqrt(high);
      (worth(middle) < 0.5 * best_ ? low : high) = middle;
    }
  }
  overlooked_ = worth(low);
  double signal_low = infinite, signal_high = 0.0, floor_low = infinite, floor_high = 0.0;
  for (const double variance : {low, highest})
    for (const double base : {least_base_, largest_base_}) {
      double intercept = 0.0, slope = 0.0;
      lines_->at(&variance, &base, 1, &intercept, &slope);
      if (!(slope > 0.0)) return;
      signal_low = std::min(signal_low, 1.0 / slope);
      signal_high = std::max(signal_high, 1.0 / slope);
      floor_low = std::min(floor_low, intercept / slope);
      floor_high = std::max(floor_high, intercept / slope);
    }
  const auto value = [&](std::size_t k, double signal, double floor) {
    return 0.5 * std::log1p(signal / (floor + all_.added[k])) * all_.inverse_cost[k];
  };
  const auto winner = [&](double signal, double floor) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < count; ++k)
      if (value(k, signal, floor) > value(best, signal, floor)) best = k;
    return best;
  };
  const std::size_t finest = winner(signal_low, floor_low), coarsest = winner(signal_high, floor_high);
  const auto beaten = [&](std::size_t k, std::size_t by, double signal, double floor) {
    return value(k, signal, floor) < (1.0 - tie_slack_of_two) * value(by, signal, floor);
  };
  std::vector<std::pair<double, double>> left;
  for (std::size_t k = 0; k < count; ++k) {
    const double added = all_.added[k];
    if (added < all_.added[finest] && beaten(k, finest, signal_low, floor_low)) continue;
    if (added > all_.added[coarsest] && beaten(k, coarsest, signal_high, floor_high)) continue;
    left.emplace_back(added, 1.0 / all_.inverse_cost[k]);
  }
  some_.set(left);
}

// How much the best value of a point can change when its variance is off by `error`: no information rises
// faster with the variance than MI(answer; f) does where nothing is left to learn.
double TileSearch::slack_of(double error) const {
  if (error == 0.0) return 0.0;
  if (continuous()) {
    // At the highest precision, and at the lowest price.
    const ContinuousPrecision& range = *acquisition_.continuous;
    double cheapest = infinite;
    for (const Precision& end : {range.vaguest, range.sharpest})
      cheapest = std::min(cheapest, (*range.cost)(end.alpha));
    return error / (2.0 * (least_base_ + range.law.gamma * range.sharpest.inverse) * cheapest);
  }
  double steepest = 0.0;
  for (std::size_t k = 0; k < levels_.size(); ++k)
    steepest = std::max(steepest, all_.inverse_cost[k] / (least_base_ + all_.added[k]));
  return 0.5 * error * steepest;
}

// Values with room for a tiny error are quickly had. Where the error is larger that would leave too many
// points: then values are computed from variances with room for it, which is as tight as can be.
void TileSearch::make_room_for(const VarianceError& error) {
  error_ = error;
  slack_ = slack_of(error.largest());
  exact_values_ = slack_ <= 1e-6 * best_;
  if (!exact_values_) slack_ = 0.0;
}

double TileSearch::moved(double variance, Bound bound) const {
  if (exact_values_) return variance;
  return bound == Bound::upper ? error_.at_most(variance) : error_.at_least(variance);
}

const double* TileSearch::moved(const double* variance, Index count, Bound bound, Lines& lines) const {
  if (exact_values_) return variance;
  for (Index i = 0; i < count; ++i) lines.variance[at(i)] = moved(variance[i], bound);
  return lines.variance.get();
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
  const bool all = pool.epoch() != epoch_ || size != pool_size_ || width != width_ || more_levels;
  if (all || levels != levels_) {
    set_levels(levels);
    some_ = {};
    best_ = 0.0;
  }
  remaining_ = remaining;
  epoch_ = pool.epoch();
  pool_size_ = size;
  width_ = width;
  const std::vector<char> everything(candidates.open.empty() ? at(size) : 0, 1);
  const std::vector<char>& open = candidates.open.empty() ? everything : candidates.open;
  if (all) {
    tiles_.clear();
    for (Index tile = 0; tile < tiles; ++tile) tiles_.push_back({infinite, tile});
    open_ = open;
    return;
  }
  // Mostly a single point was closed, which no bound minds.
  std::vector<char> opened;  // by tile
  const auto look = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (open[i] != 0 && open_[i] == 0) {
        opened.resize(at(tiles), 0);
        opened[i / at(width)] = 1;
      }
      open_[i] = open[i];
    }
  };
  const auto differ = [&](std::size_t begin, std::size_t end) {
    return std::memcmp(&open[begin], &open_[begin], end - begin) != 0;
  };
  constexpr std::size_t many = 4096, few = 64;
  for (std::size_t block = 0; block < open.size(); block += many) {
    const std::size_t block_end = std::min(open.size(), block + many);
    if (!differ(block, block_end)) continue;
    for (std::size_t begin = block; begin < block_end; begin += few) {
      const std::size_t end = std::min(block_end, begin + few);
      if (differ(begin, end)) look(begin, end);
    }
  }
  if (opened.empty()) return;
  for (Entry& entry : tiles_)
    if (opened[at(entry.tile)] != 0) entry.bound = infinite;
  std::sort(tiles_.begin(), tiles_.end(), higher);
}

// The best value among open points first .. first + count - 1, by their lines: one logarithm a level. The
// slack aside it is a bound where variances have errors.
double TileSearch::value_of(Index first, Index count, const double* variance, Bound bound,
                            const Candidates& candidates, Lines& lines) const {
  if (continuous())
    return value_at_best_precision(first, count, moved(variance, count, bound, lines), candidates);
  Index used = 0;
  const double* base = offer_.base_noise.data() + first;
  if (least_base_ == largest_base_) {  // then the largest variance is the best, whatever the level
    double largest = -1.0;
    for (Index i = 0; i < count; ++i)
      if (open_[at(first + i)] != 0) largest = std::max(largest, variance[i]);
    if (largest < 0.0) return 0.0;
    largest = moved(largest, bound);
    used = 1;
    lines_->at(&largest, base, 1, lines.intercept.get(), lines.slope.get());
  } else {
    lines_->at(moved(variance, count, bound, lines), base, count, lines.intercept.get(), lines.slope.get());
    for (Index i = 0; i < count; ++i)
      lines.intercept[at(i)] = open_[at(first + i)] != 0 ? lines.intercept[at(i)] : infinite;
    used = count;
  }
  const numerics::Kernels& kernels = numerics::kernels();
  const auto levels = static_cast<std::ptrdiff_t>(some_.added.size());
  std::fill(lines.smallest.begin(), lines.smallest.end(), infinite);
  kernels.lowest_lines(lines.intercept.get(), lines.slope.get(), used, some_.added.data(), some_.count,
                       lines.smallest.data());
  return kernels.best_merit(lines.smallest.data(), some_.inverse_cost.data(), levels);
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
    if (least_base_ != largest_base_)
      look(i);
    else if (largest < 0 || variance[i] > variance[largest])
      largest = i;
  }
  if (largest >= 0) look(largest);
  return best;
}

// Any number of threads take the tile of the highest bound each, until no bound is left that could matter.
// Which tiles are refreshed on the way depends on their race; what a refreshed tile holds does not, and every
// tile that matters is refreshed. Gives those that do, in the order of the pool.
std::vector<Index> TileSearch::refresh_in_order(LaggingPool& pool, const Candidates& candidates) {
  const Index width = pool.tile_width(), size = pool_size_;
  double best = 0.0;  // for certain
  std::size_t next = 0;
  std::mutex mutex;
  const auto work = [&] {
    const numerics::FlushDenormals flush;
    constexpr std::size_t together = 4;
    Lines lines(width, some_.added.size());
    double found = 0.0;
    for (;;) {
      std::size_t begin = 0, end = 0;
      {
        const std::lock_guard lock(mutex);
        best = std::max(best, found);
        begin = end = next;
        while (end < tiles_.size() && end < begin + together && tiles_[end].bound >= tie_cutoff(best)) ++end;
        next = end;
      }
      if (begin == end) return;
      check_interruption();
      for (std::size_t k = begin; k < end; ++k) {
        Entry& entry = tiles_[k];
        pool.refresh(entry.tile);
        const Index first = entry.tile * width, count = std::min(width, size - first);
        const double* variance = pool.so_far().variance.data() + first;
        const double high = value_of(first, count, variance, Bound::upper, candidates, lines);
        entry.bound = std::max(high + slack_, overlooked_);
        if (high - slack_ <= found) continue;
        const double low =
            exact_values_ ? high : value_of(first, count, variance, Bound::lower, candidates, lines);
        found = std::max(found, low - slack_);
      }
    }
  };
  const int useful = pool_size_ < 20'000 ? 1 : threads_;
  try {
    numerics::on_threads(useful, work);
  } catch (...) {  // bounds that were lowered hold, and so do the others; only their order is lost
    std::sort(tiles_.begin(), tiles_.end(), higher);
    throw;
  }
  best_ = best;
  const auto looked_at = tiles_.begin() + static_cast<std::ptrdiff_t>(next);
  std::vector<Index> leading;
  for (auto entry = tiles_.begin(); entry != looked_at; ++entry)
    if (entry->bound >= tie_cutoff(best)) leading.push_back(entry->tile);
  std::sort(leading.begin(), leading.end());
  std::sort(tiles_.begin(), looked_at, higher);
  std::inplace_merge(tiles_.begin(), looked_at, tiles_.end(), higher);
  return leading;
}

std::optional<std::vector<Index>> TileSearch::leaders(LaggingPool& pool, const Candidates& candidates) {
  forget_if_outdated(pool, candidates);
  if (!acquisition_.continuous && levels_.empty()) return std::vector<Index>{};
  make_room_for(pool.error());
  leave_out_levels(pool);
  std::vector<Index> tiles = refresh_in_order(pool, candidates);
  if (overlooked_ >= tie_cutoff(best_) && best_ > 0.0) {  // a level was left out that may win after all
    some_ = all_;
    overlooked_ = 0.0;
    best_when_left_out_ = best_;
    for (Entry& entry : tiles_) entry.bound = infinite;
    tiles = refresh_in_order(pool, candidates);
  }
  if (!(best_ > 0.0) || best_ == infinite) return std::nullopt;
  const Index width = pool.tile_width();
  const double least = tie_cutoff(best_) - slack_;
  const Vector& variance = pool.so_far().variance;
  Lines lines(width, some_.added.size());
  std::vector<Index> rows;
  if (continuous()) {
    for (const Index tile : tiles)
      for (Index i = tile * width; i < std::min(pool_size_, (tile + 1) * width); ++i)
        if (open_[at(i)] != 0 && value_of(i, 1, &variance(i), Bound::upper, candidates, lines) >= least)
          rows.push_back(i);
    return rows;
  }
  // A point is worth that much at a level where its line is this low, or lower.
  std::vector<double> low_enough(some_.added.size(), -1.0);
  for (std::size_t k = 0; k < low_enough.size(); ++k)
    if (some_.inverse_cost[k] > 0.0)
      low_enough[k] = (1.0 + 1e-12) / std::expm1(2.0 * std::max(least, 0.0) / some_.inverse_cost[k]);
  const auto levels = static_cast<std::size_t>(some_.count);
  for (const Index tile : tiles) {
    const Index first = tile * width, count = std::min(width, pool_size_ - first);
    lines_->at(moved(&variance(first), count, Bound::upper, lines), &offer_.base_noise(first), count,
               lines.intercept.get(), lines.slope.get());
    for (Index i = 0; i < count; ++i) {
      if (open_[at(first + i)] == 0) continue;
      bool leads = false;
      for (std::size_t k = 0; k < levels && !leads; ++k)
        leads = lines.intercept[at(i)] + some_.added[k] * lines.slope[at(i)] <= low_enough[k];
      if (leads) rows.push_back(first + i);
    }
  }
  return rows;
}

}  // namespace acuity
