#include "acuity/selection/screened_scan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/parallel.hpp"
#include "selection/level_hull.hpp"
#include "selection/select_among.hpp"

namespace acuity {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// What each pool point's best level is worth at least and at most; closed points are worth nothing at all.
struct ValueBounds {
  std::vector<double> low, high;
};

ValueBounds value_bounds(const InformationBounds& bounds, const std::vector<Index>& levels,
                         const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
                         const Candidates& candidates, int threads) {
  constexpr Index block = 256;
  const Index points = belief.variance.size();
  const std::size_t count = levels.size();
  ValueBounds values{std::vector<double>(static_cast<std::size_t>(points), -infinite),
                     std::vector<double>(static_cast<std::size_t>(points), -infinite)};
  numerics::parallel_for((points + block - 1) / block, threads, [&](Index task) {
    const Index begin = task * block, end = std::min(points, begin + block);
    std::vector<double> low(static_cast<std::size_t>(block) * count), high(low.size());
    bounds.at(belief, begin, end, low.data(), high.data());
    for (Index point = begin; point < end; ++point) {
      if (!candidates.is_open(point)) continue;
      const std::size_t at = static_cast<std::size_t>(point),
                        first = static_cast<std::size_t>(point - begin) * count;
      for (std::size_t k = 0; k < count; ++k) {
        const double cost = offer.levels[static_cast<std::size_t>(levels[k])].cost;
        values.low[at] = std::max(values.low[at], merit(acquisition.ranking, low[first + k], cost, 0));
        values.high[at] = std::max(values.high[at], merit(acquisition.ranking, high[first + k], cost, 0));
      }
    }
  });
  return values;
}

}  // namespace

std::optional<Score> select_by_screen(const Marginals& belief, const Offer& offer,
                                      const Acquisition& acquisition, const Candidates& candidates,
                                      int threads) {
  std::vector<Index> levels = levels_in_play(offer, acquisition, candidates);
  // No level is worth more per cost than the better of two corners of the hull (math.md eq. (5.3)).
  if (acquisition.information->convex_in_accuracy() && !levels.empty() &&
      acquisition.ranking == Ranking::information_per_cost)
    levels = level_hull(offer, levels).corners;
  const bool ranks_by_worth = acquisition.ranking != Ranking::random && !acquisition.continuous;
  const std::unique_ptr<InformationBounds> bounds =
      ranks_by_worth && candidates.sold.empty() && !levels.empty()
          ? acquisition.information->bounds(offer, levels)
          : nullptr;
  if (!bounds) return select_by_full_scan(belief, offer, acquisition, candidates);

  const ValueBounds values = value_bounds(*bounds, levels, belief, offer, acquisition, candidates,
                                          threads > 0 ? threads : numerics::default_threads());
  // What ties with the best may be chosen in its place, so it stays too; with room for rounding.
  double enough = -infinite;
  for (const double low : values.low) enough = std::max(enough, low);
  enough -= 2e-9 * std::abs(enough);
  std::vector<Index> left;
  for (std::size_t i = 0; i < values.high.size(); ++i)
    if (values.high[i] > -infinite && !(values.high[i] < enough)) left.push_back(static_cast<Index>(i));
  if (left.empty()) return std::nullopt;
  return select_among(left, {belief.mean(left), belief.variance(left)},
                      {offer.levels, offer.base_noise(left)}, acquisition, candidates);
}

}  // namespace acuity
