#include "annotation/simulated_annotator.hpp"

#include <cmath>

#include "acuity/data/observation.hpp"

namespace acuity {

double SimulatedAnnotator::annotate(const Suggestion& suggestion) {
  numerics::Draws draws(seed_, numerics::Purpose::answer, stream_, static_cast<std::uint32_t>(suggestion.id));
  return answer_(suggestion, draws);
}

double noisy_answer(double truth, const Channel& channel, numerics::Draws& draws) {
  if (const auto* flip = std::get_if<FlipChannel>(&channel))
    return draws.uniform() < flip->accuracy ? truth : -truth;
  return truth + std::sqrt(noise_variance(channel)) * draws.normal();
}

}  // namespace acuity
