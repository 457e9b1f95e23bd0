#include "acquisition/class_belief.hpp"

#include <algorithm>
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
  return through(FlipChannel(accuracy), input);
}

ClassProbabilities through(const FlipChannel& channel, const ClassProbabilities& input) {
  return {.positive = channel.yes * input.positive + (1.0 - channel.no) * input.negative,
          .negative = channel.no * input.negative + (1.0 - channel.yes) * input.positive};
}

double channel_capacity(const FlipChannel& channel) {
  const double gain = channel.gain();
  if (channel.is_symmetric() || gain == 0.0) return numerics::capacity_bits(gain);
  const auto entropy = [](double p) { return 1.0 - numerics::capacity_bits(2.0 * p - 1.0); };
  const double slope = (entropy(channel.yes) - entropy(channel.no)) / gain;
  const double best = 1.0 / (1.0 + std::exp2(slope));  // the frequency of the answer +1
  return std::max(entropy(best) - entropy(channel.no) - (best - (1.0 - channel.no)) * slope, 0.0);
}

// math.md eq. (4.7), right form
double channel_information(double gain, const ClassProbabilities& input, const ClassProbabilities& answer) {
  const double up = gain * input.negative, down = gain * input.positive;
  return (input.positive * (scaled_psi(answer.positive, up) + scaled_psi(answer.negative, -up)) +
          input.negative * (scaled_psi(answer.positive, -down) + scaled_psi(answer.negative, down))) /
         std::numbers::ln2;
}

}  // namespace acuity
