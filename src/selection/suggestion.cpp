#include "acuity/selection/suggestion.hpp"

namespace acuity {

Suggestion make_suggestion(const Score& score, const Pool& pool, const Offer& offer,
                           const Acquisition& acquisition, const Marginals& belief) {
  const Level level = level_of(score, offer, acquisition);
  const auto inputs = pool.points().row(score.point);
  return {.row = score.point,
          .point = pool.id(score.point),
          .inputs = std::vector<double>(inputs.data(), inputs.data() + inputs.size()),
          .level = level,
          .channel = channel_at(level, offer.base_noise(score.point)),
          .mean = belief.mean(score.point),
          .variance = belief.variance(score.point),
          .information = score.information,
          .cost = score.cost};
}

}  // namespace acuity
