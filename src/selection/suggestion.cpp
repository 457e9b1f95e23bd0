#include "acuity/selection/suggestion.hpp"

#include <algorithm>

#include "acuity/data/observation.hpp"

namespace acuity {

namespace {

// `there` is the row of the marginals that is about the point.
Suggestion suggestion_given(const Marginals& belief, Index there, const Score& score, const Pool& pool,
                            const Offer& offer, const Acquisition& acquisition) {
  const Level level = level_of(score, offer, acquisition);
  const double* inputs = pool.point(score.point);
  Suggestion suggestion{.row = score.point,
                        .point = pool.id(score.point),
                        .inputs = std::vector<double>(inputs, inputs + pool.inputs().size()),
                        .level = level,
                        .channel = channel_at(level, offer.base_noise(score.point)),
                        .mean = belief.mean(there),
                        .variance = belief.variance(there),
                        .information = score.information,
                        .cost = score.cost};
  if (score.top_up) suggestion.resume_from = score.top_up->from;
  const auto bias = static_cast<std::size_t>(bias_of(suggestion.channel));
  if (bias > 0 && bias <= belief.errors.size()) {
    const LevelError& error = belief.errors[bias - 1];
    suggestion.answer_mean = suggestion.mean + error.mean(there);
    suggestion.answer_variance =
        std::max(0.0, suggestion.variance + 2.0 * error.covariance(there) + error.variance(there));
  }
  return suggestion;
}

}  // namespace

Suggestion make_suggestion(const Score& score, const Pool& pool, const Offer& offer,
                           const Acquisition& acquisition, const Marginals& belief) {
  return suggestion_given(belief, score.point, score, pool, offer, acquisition);
}

Suggestion make_suggestion(const Score& score, const Pool& pool, const Offer& offer,
                           const Acquisition& acquisition, PoolBelief& belief) {
  return suggestion_given(belief.marginals_at({{score.point}}), 0, score, pool, offer, acquisition);
}

}  // namespace acuity
