#include "annotation/simulated_annotator.hpp"

#include <algorithm>
#include <cmath>

#include "acuity/data/observation.hpp"

namespace acuity {

double SimulatedAnnotator::annotate(const Suggestion& suggestion) {
  numerics::Draws draws(seed_, numerics::Purpose::answer, stream_, static_cast<std::uint32_t>(suggestion.id));
  return answer_(suggestion, draws);
}

double noisy_answer(double truth, const Channel& channel, numerics::Draws& draws) {
  if (const auto* flip = std::get_if<FlipChannel>(&channel))
    return draws.uniform() < flip->given(truth, truth) ? truth : -truth;
  return truth + std::sqrt(noise_variance(channel)) * draws.normal();
}

// One draw per trial, or per count; of very many the normal approximation is as good.
double counted_answer(const AnswerScale& scale, double truth, const Channel& channel,
                      numerics::Draws& draws) {
  constexpr double most_draws = 1e5;
  const double trials = AnswerScale::trials_of(noise_variance(channel));
  const bool is_fraction = scale.kind() == TargetScale::fraction;
  const double expected = is_fraction ? std::max(1.0, std::round(trials)) : truth * trials;
  if (expected > most_draws) return scale.to_answer(noisy_answer(scale.to_model(truth), channel, draws));
  double count = 0.0;
  if (is_fraction) {
    for (auto left = static_cast<std::int64_t>(expected); left > 0; --left)
      count += draws.uniform() < truth ? 1.0 : 0.0;
    return count / expected;
  }
  const auto pause = [&] { return -std::log1p(-draws.uniform()); };  // between two counts
  double time = pause();
  while (time < expected) {
    time += pause();
    count += 1.0;
  }
  return count / trials;
}

}  // namespace acuity
