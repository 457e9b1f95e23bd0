#include "acuity/acquisition/acquisition.hpp"

#include <cmath>

namespace acuity {

namespace {

bool within_tie(double best, double value) {
  return value >= best - 1e-9 * std::abs(best);
}

}  // namespace

Level level_of(const Score& score, const Offer& offer, const Acquisition& acquisition) {
  if (!score.inverse_alpha) return offer.levels[static_cast<std::size_t>(score.level)];
  const double alpha = 1.0 / *score.inverse_alpha;
  return {.name = {},
          .alpha = alpha,
          .channel = GaussianChannel{acquisition.continuous->gamma * *score.inverse_alpha},
          .cost = score.cost,
          .value = alpha};
}

bool ties_with(const Score& best, double value, double order) {
  if (std::isinf(best.value)) return value == best.value && within_tie(best.order, order);
  return within_tie(best.value, value);
}

}  // namespace acuity
