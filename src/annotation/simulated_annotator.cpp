#include "annotation/simulated_annotator.hpp"

#include <cmath>

#include "acuity/data/observation.hpp"
#include "numerics/random.hpp"

namespace acuity {

double SimulatedAnnotator::annotate(const Suggestion& suggestion) {
  numerics::Draws draws(seed_, numerics::Purpose::answer, stream_, static_cast<std::uint32_t>(suggestion.id));
  return truth_(suggestion.inputs) + std::sqrt(noise_variance(suggestion.channel)) * draws.normal();
}

}  // namespace acuity
