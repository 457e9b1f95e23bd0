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
