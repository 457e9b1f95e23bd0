#include "selection/level_filter.hpp"

#include <algorithm>
#include <cmath>

#include "acquisition/tie.hpp"
#include "acuity/data/observation.hpp"
#include "data/as_size.hpp"
#include "numerics/dispatch.hpp"
#include "numerics/infinite.hpp"

namespace acuity {

PaddedLevels::PaddedLevels(const std::vector<std::pair<double, double>>& noise_and_cost) {
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

LevelFilter::LevelFilter(const Offer& offer, const Acquisition& acquisition, const InformationLines& lines,
                         NoiseRange base_noise)
    : offer_(offer), acquisition_(acquisition), lines_(lines), base_noise_(base_noise) {}

void LevelFilter::set_levels_in_play(const std::vector<Index>& levels) {
  levels_in_play_ = levels;
  std::vector<std::pair<double, double>> noise_and_cost;
  for (const Index k : levels) {
    const Level& level = offer_.levels[at(k)];
    noise_and_cost.emplace_back(noise_variance(level.channel),
                                acquisition_.ranking == Ranking::information ? 1.0 : level.cost);
  }
  padded_ = PaddedLevels(noise_and_cost);
  competitive_levels_.reset();
}

void LevelFilter::keep_all_levels(double last_best) {
  competitive_levels_ = padded_;
  bound_of_dropped_levels_ = 0.0;
  best_when_dropped_ = last_best;
}

// Variances and the best value only fall, so what was dropped stays out until the best has fallen by a
// quarter.
bool LevelFilter::is_current(double last_best) const {
  return competitive_levels_ && best_when_dropped_ > 0.0 && last_best > 0.75 * best_when_dropped_;
}

// The best noise rises with the signal and with the noise that no level removes (math.md 5.5). So over a box
// of signals and floors all levels finer than the winner at its low corner, and all coarser than the winner
// at its high corner, cannot win.
void LevelFilter::drop_levels(double highest_variance, double last_best) {
  keep_all_levels(last_best);
  const std::size_t count = levels_in_play_.size();
  if (count < 2) return;
  const double lowest_variance = lowest_variance_that_matters(highest_variance, last_best);
  bound_of_dropped_levels_ = best_value_at(lowest_variance);
  const std::optional<Box> box = box_of(lowest_variance, highest_variance);
  if (!box) return;
  const std::size_t finest = winner(box->signal_low, box->floor_low),
                    coarsest = winner(box->signal_high, box->floor_high);
  const auto beaten = [&](std::size_t k, std::size_t by, double signal, double floor) {
    return value(k, signal, floor) < (1.0 - tie_slack_of_two) * value(by, signal, floor);
  };
  std::vector<std::pair<double, double>> remaining;
  for (std::size_t k = 0; k < count; ++k) {
    const double added = padded_.added[k];
    if (added < padded_.added[finest] && beaten(k, finest, box->signal_low, box->floor_low)) continue;
    if (added > padded_.added[coarsest] && beaten(k, coarsest, box->signal_high, box->floor_high)) continue;
    remaining.emplace_back(added, 1.0 / padded_.inverse_cost[k]);
  }
  competitive_levels_ = PaddedLevels(remaining);
}

// Points of less variance are worth half of the last best value at most.
double LevelFilter::lowest_variance_that_matters(double highest, double last_best) const {
  double low = 1e-9 * highest, high = highest;
  if (!(last_best > 0.0)) return low;
  // Nine decades are halved to less than a factor of 1.5 in six steps. The product of the two might overflow.
  for (int step = 0; step < 64 && high > 1.5 * low; ++step) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    (best_value_at(middle) < 0.5 * last_best ? low : high) = middle;
  }
  return low;
}

// Of any level in play, at a point of this variance and any base noise.
double LevelFilter::best_value_at(double variance) const {
  std::vector<double> line(padded_.added.size());
  const auto best = [&](double base_noise) {
    double intercept = 0.0, slope = 0.0;
    lines_.at(&variance, &base_noise, 1, &intercept, &slope);
    for (std::size_t k = 0; k < line.size(); ++k) line[k] = intercept + slope * padded_.added[k];
    return numerics::kernels().best_merit(line.data(), padded_.inverse_cost.data(),
                                          static_cast<std::ptrdiff_t>(line.size()));
  };
  const double at_lowest = best(base_noise_.lowest);
  return std::max(at_lowest, best(base_noise_.highest));
}

std::optional<LevelFilter::Box> LevelFilter::box_of(double lowest_variance, double highest_variance) const {
  Box box{infinite, 0.0, infinite, 0.0};
  for (const double variance : {lowest_variance, highest_variance})
    for (const double base : {base_noise_.lowest, base_noise_.highest}) {
      double intercept = 0.0, slope = 0.0;
      lines_.at(&variance, &base, 1, &intercept, &slope);
      if (!(slope > 0.0)) return std::nullopt;
      box.signal_low = std::min(box.signal_low, 1.0 / slope);
      box.signal_high = std::max(box.signal_high, 1.0 / slope);
      box.floor_low = std::min(box.floor_low, intercept / slope);
      box.floor_high = std::max(box.floor_high, intercept / slope);
    }
  return box;
}

double LevelFilter::value(std::size_t level, double signal, double floor) const {
  return 0.5 * std::log1p(signal / (floor + padded_.added[level])) * padded_.inverse_cost[level];
}

std::size_t LevelFilter::winner(double signal, double floor) const {
  std::size_t best = 0;
  for (std::size_t k = 1; k < levels_in_play_.size(); ++k)
    if (value(k, signal, floor) > value(best, signal, floor)) best = k;
  return best;
}

}  // namespace acuity
