#include "acuity/acquisition/acquisition.hpp"

#include <cmath>

namespace acuity {

namespace {

bool within_tie(double best, double value, double charged) {
  return value >= best - tie_tolerance * (std::abs(best) + charged);
}

}  // namespace

Level level_of(const Score& score, const Offer& offer, const Acquisition& acquisition) {
  if (!score.precision) return offer.levels[static_cast<std::size_t>(score.level)];
  return {.name = {},
          .alpha = score.precision->alpha,
          .channel = acquisition.continuous->law(*score.precision),
          .cost = score.cost,
          .value = score.precision->alpha};
}

bool ties_with(const Score& best, double value, double order, double charged) {
  if (std::isinf(best.value)) return value == best.value && within_tie(best.order, order, 0.0);
  return within_tie(best.value, value, charged);
}

}  // namespace acuity
