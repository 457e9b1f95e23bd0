#include "acuity/data/level.hpp"

#include <tuple>

namespace acuity {

namespace {

// Smaller is more precise.
double vagueness(const Channel& channel) {
  if (const auto* gaussian = std::get_if<GaussianChannel>(&channel)) return gaussian->noise_variance;
  return -std::get<FlipChannel>(channel).accuracy;
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

Offer Offer::at(const std::vector<Index>& points) const {
  Offer there{.levels = levels, .base_noise = base_noise(points)};
  for (const PointCosts& costs : point_costs)
    there.point_costs.push_back(costs.expected.size() > 0
                                    ? PointCosts{costs.expected(points), costs.reserved(points)}
                                    : PointCosts{});
  return there;
}

Offer Offer::part(Index first, Index count) const {
  Offer there{.levels = levels, .base_noise = base_noise.part(first, count)};
  for (const PointCosts& costs : point_costs)
    there.point_costs.push_back(costs.expected.size() > 0 ? PointCosts{costs.expected.part(first, count),
                                                                       costs.reserved.part(first, count)}
                                                          : PointCosts{});
  return there;
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
