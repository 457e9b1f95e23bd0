#include "acuity/acquisition/acquisition.hpp"

#include <cmath>

namespace acuity {

namespace {

bool within_tie(double best, double value, double charged) {
  return value >= best - tie_tolerance * (std::abs(best) + charged);
}

}  // namespace

Level level_of(const Score& score, const Offer& offer, const Acquisition& acquisition) {
  if (!score.precision) {
    Level level = offer.levels[static_cast<std::size_t>(score.level)];
    if (offer.has_point_costs()) {
      level.cost = offer.cost(score.point, score.level);
      level.reserve = offer.reserved(score.point, score.level);
    }
    if (score.top_up) level.reserve = score.top_up->reserve;
    return level;
  }
  return {.name = {},
          .alpha = score.precision->alpha,
          .channel = acquisition.continuous->law(*score.precision),
          .cost = score.cost,
          .value = score.precision->alpha};
}

Channel added_channel(const Score& score, const Offer& offer, const Acquisition& acquisition) {
  if (score.top_up) return GaussianChannel{score.top_up->noise_variance};
  return channel_at(level_of(score, offer, acquisition), offer.base_noise(score.point));
}

bool ties_with(const Score& best, double value, double order, double charged) {
  if (std::isinf(best.value)) return value == best.value && within_tie(best.order, order, 0.0);
  return within_tie(best.value, value, charged);
}

}  // namespace acuity
