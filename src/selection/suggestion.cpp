#include "acuity/selection/suggestion.hpp"

namespace acuity {

namespace {

Suggestion suggestion_given(double mean, double variance, const Score& score, const Pool& pool,
                            const Offer& offer, const Acquisition& acquisition) {
  const Level level = level_of(score, offer, acquisition);
  const double* inputs = pool.point(score.point);
  return {.row = score.point,
          .point = pool.id(score.point),
          .inputs = std::vector<double>(inputs, inputs + pool.inputs().size()),
          .level = level,
          .channel = channel_at(level, offer.base_noise(score.point)),
          .mean = mean,
          .variance = variance,
          .information = score.information,
          .cost = score.cost};
}

}  // namespace

Suggestion make_suggestion(const Score& score, const Pool& pool, const Offer& offer,
                           const Acquisition& acquisition, const Marginals& belief) {
  return suggestion_given(belief.mean(score.point), belief.variance(score.point), score, pool, offer,
                          acquisition);
}

Suggestion make_suggestion(const Score& score, const Pool& pool, const Offer& offer,
                           const Acquisition& acquisition, PoolBelief& belief) {
  const Marginals there = belief.marginals_at({{score.point}});
  return suggestion_given(there.mean(0), there.variance(0), score, pool, offer, acquisition);
}

}  // namespace acuity
