#include "acuity/selection/suggestion.hpp"

namespace acuity {

Suggestion make_suggestion(const Score& score, const Pool& pool, const Offer& offer,
                           const Marginals& belief) {
  const auto inputs = pool.points().row(score.point);
  return {.row = score.point,
          .point = pool.id(score.point),
          .inputs = std::vector<double>(inputs.data(), inputs.data() + inputs.size()),
          .level = offer.levels[static_cast<std::size_t>(score.level)],
          .channel = offer.channel(score.point, score.level),
          .mean = belief.mean(score.point),
          .variance = belief.variance(score.point),
          .information = score.information,
          .cost = score.cost};
}

}  // namespace acuity
