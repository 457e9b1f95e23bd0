#include "acquisition/class_belief.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "acuity/base/errors.hpp"
#include "numerics/entropy.hpp"
#include "numerics/normal.hpp"

namespace acuity {

using numerics::scaled_psi;

TurnedBelief::TurnedBelief(const LatentMarginal& latent)
    : mean(-std::abs(latent.mean)), variance(latent.variance), eta(mean / std::sqrt(1.0 + variance)) {
  constexpr const char* place = "classification information";
  require(std::isfinite(mean), place, "mean", latent.mean, "finite");
  require(variance >= 0.0 && std::isfinite(variance), place, "variance", variance, "zero or more and finite");
  clean = {.positive = numerics::normal_cdf(eta), .negative = numerics::normal_cdf(-eta)};
}

bool TurnedBelief::is_certain() const {
  return variance == 0.0 || clean.positive < std::numeric_limits<double>::min();
}

ClassProbabilities through(double accuracy, const ClassProbabilities& input) {
  const double flip = 1.0 - accuracy;
  return {.positive = accuracy * input.positive + flip * input.negative,
          .negative = accuracy * input.negative + flip * input.positive};
}

// math.md eq. (4.7), right form
double channel_information(double gain, const ClassProbabilities& input, const ClassProbabilities& answer) {
  const double up = gain * input.negative, down = gain * input.positive;
  return (input.positive * (scaled_psi(answer.positive, up) + scaled_psi(answer.negative, -up)) +
          input.negative * (scaled_psi(answer.positive, -down) + scaled_psi(answer.negative, down))) /
         std::numbers::ln2;
}

}  // namespace acuity
