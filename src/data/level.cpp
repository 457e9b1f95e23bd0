#include "acuity/data/level.hpp"

#include <algorithm>
#include <tuple>

namespace acuity {

namespace {

// Smaller is more precise.
double vagueness(const Channel& channel) {
  if (const auto* gaussian = std::get_if<GaussianChannel>(&channel)) return gaussian->noise_variance;
  return -std::get<FlipChannel>(channel).accuracy();
}

// The offer with f of the values of every point; what is empty stays empty.
template <typename Function>
Offer with_values(const Offer& offer, const Function& f) {
  Offer changed{.levels = offer.levels, .base_noise = f(offer.base_noise)};
  for (const PointCosts& costs : offer.point_costs)
    changed.point_costs.push_back(costs.expected.size() > 0 ? PointCosts{f(costs.expected), f(costs.reserved)}
                                                            : PointCosts{});
  for (const RunSuccess& one : offer.success)
    changed.success.push_back({f(one.probability), one.cost_of_failure});
  return changed;
}

}  // namespace

Channel channel_at(const Level& level, double base_noise) {
  if (const auto* gaussian = std::get_if<GaussianChannel>(&level.channel))
    return GaussianChannel{base_noise + gaussian->noise_variance, gaussian->bias};
  return level.channel;
}

Channel Offer::channel(Index point, Index level) const {
  return channel_at(levels[static_cast<std::size_t>(level)], base_noise(point));
}

double Offer::cost(Index point, Index level) const {
  const auto k = static_cast<std::size_t>(level);
  const bool by_point = has_point_costs() && point_costs[k].expected.size() > 0;
  return by_point ? point_costs[k].expected(point) : levels[k].cost;
}

double Offer::reserved(Index point, Index level) const {
  const auto k = static_cast<std::size_t>(level);
  const bool by_point = has_point_costs() && point_costs[k].reserved.size() > 0;
  return by_point ? point_costs[k].reserved(point) : levels[k].reserved();
}

double Offer::least_reserved(Index level) const {
  const auto k = static_cast<std::size_t>(level);
  const bool by_point = has_point_costs() && point_costs[k].reserved.size() > 0;
  return by_point ? point_costs[k].reserved.lowest() : levels[k].reserved();
}

// A level that is nearly certain to fail is not raised where another may succeed: that one is tried.
double Offer::chance(Index point, Index level) const {
  constexpr double least = 0.1;
  if (!has_failures()) return 1.0;
  double highest = 0.0;
  for (const RunSuccess& one : success) highest = std::max(highest, one.probability(point));
  const double probability = success[static_cast<std::size_t>(level)].probability(point);
  if (highest >= least) return probability;
  return highest > 0.0 ? least * (probability / highest) : least;
}

double Offer::cost_of_run(Index point, Index level) const {
  const double answered = cost(point, level);
  if (!has_failures()) return answered;
  const std::optional<double>& failed = success[static_cast<std::size_t>(level)].cost_of_failure;
  if (!failed) return answered;
  const double q = chance(point, level);
  return q * answered + (1.0 - q) * *failed;
}

Offer Offer::at(const std::vector<Index>& points) const {
  return with_values(*this, [&](const PointValues& all) { return PointValues(all(points)); });
}

Offer Offer::part(Index first, Index count) const {
  return with_values(*this, [&](const PointValues& all) { return all.part(first, count); });
}

Index Offer::finest() const {
  std::size_t best = 0;
  // A level with bias is no measure of f, however little noise it has.
  const auto key = [this](std::size_t k) {
    const auto* gaussian = std::get_if<GaussianChannel>(&levels[k].channel);
    const bool has_bias = gaussian != nullptr && gaussian->bias > 0;
    return std::tuple(levels[k].is_retired, has_bias, vagueness(levels[k].channel), levels[k].cost);
  };
  for (std::size_t k = 1; k < levels.size(); ++k)
    if (key(k) < key(best)) best = k;
  return static_cast<Index>(best);
}

}  // namespace acuity
