#include "acuity/acquisition/classification_information.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "acquisition/class_belief.hpp"
#include "acquisition/latent_quadrature.hpp"
#include "acuity/base/errors.hpp"
#include "model/item_class.hpp"
#include "numerics/entropy.hpp"

namespace acuity {

namespace {

constexpr const char* place = "classification information";

void check_accuracy(double accuracy) {
  require(accuracy >= 0.0 && accuracy <= 1.0, place, "accuracy", accuracy, "between 0 and 1");
}

void check_channel(const FlipChannel& channel) {
  check_accuracy(channel.yes);
  check_accuracy(channel.no);
}

void check_latent(const LatentMarginal& latent) {
  TurnedBelief{latent};  // throws
}

}  // namespace

ClassProbabilities clean_probabilities(const LatentMarginal& latent) {
  const ClassProbabilities clean = TurnedBelief(latent).clean;
  if (latent.mean > 0.0) return {.positive = clean.negative, .negative = clean.positive};
  return clean;
}

ClassProbabilities answer_probabilities(const LatentMarginal& latent, double accuracy) {
  return answer_probabilities(latent, FlipChannel(accuracy));
}

ClassProbabilities answer_probabilities(const LatentMarginal& latent, const FlipChannel& channel) {
  check_channel(channel);
  return through(channel, clean_probabilities(latent));
}

double clean_probability_variance(const LatentMarginal& latent) {
  return LatentQuadrature(latent).clean_variance();
}

double class_model_information(const LatentMarginal& latent, double accuracy) {
  double bits = 0.0;
  class_model_information(latent, {&accuracy, 1}, {&bits, 1});
  return bits;
}

void class_model_information(const LatentMarginal& latent, std::span<const double> accuracies,
                             std::span<double> bits) {
  const std::vector<FlipChannel> channels(accuracies.begin(), accuracies.end());
  class_model_information(latent, channels, bits);
}

void class_model_information(const LatentMarginal& latent, std::span<const FlipChannel> channels,
                             std::span<double> bits) {
  std::ranges::for_each(channels, check_channel);
  const LatentQuadrature quadrature(latent);
  std::ranges::transform(channels, bits.begin(),
                         [&](const FlipChannel& channel) { return quadrature.model_information(channel); });
}

void class_model_information(const LatentMarginal& latent, const EarlierAnswers& earlier,
                             std::span<const double> accuracies, std::span<double> bits) {
  const std::vector<FlipChannel> channels(accuracies.begin(), accuracies.end());
  class_model_information(latent, earlier, channels, bits);
}

// math.md eq. (4.6) with pi of eq. (15.7) in the place of Phi
void class_model_information(const LatentMarginal& latent, const EarlierAnswers& earlier,
                             std::span<const FlipChannel> channels, std::span<double> bits) {
  if (!is_evidence(earlier)) return class_model_information(latent, channels, bits);
  std::ranges::for_each(channels, check_channel);
  check_accuracy(earlier.accuracy);
  std::ranges::for_each(earlier.pending, check_channel);
  check_latent(latent);
  std::ranges::fill(bits, 0.0);
  for (const ItemClass& item : possible_item_classes(latent.mean, latent.variance, earlier)) {
    const ClassProbabilities clean{.positive = item.positive(), .negative = item.negative()};
    for (std::size_t k = 0; k < channels.size(); ++k) {
      const double gain = channels[k].gain();
      const ClassProbabilities answer = through(channels[k], clean);
      double sum = 0.0;
      for (const ItemClass::Node& node : item.nodes())
        sum += node.weight * (numerics::scaled_psi(answer.positive, gain * node.change) +
                              numerics::scaled_psi(answer.negative, -gain * node.change));
      bits[k] += item.weight() * sum / std::numbers::ln2;
    }
  }
}

double class_model_information_slope(const LatentMarginal& latent, double accuracy) {
  check_accuracy(accuracy);
  return LatentQuadrature(latent).model_information_slope(accuracy);
}

// math.md eq. (4.5)
double class_model_information_taylor(const LatentMarginal& latent, double accuracy) {
  check_accuracy(accuracy);
  const TurnedBelief belief(latent);
  const double gain = gain_of(accuracy), a = numerics::taylor_curvature(gain);
  const double spread = 2.0 * a * belief.variance;
  const double exponent = -a * belief.mean * (belief.mean / (1.0 + spread)) - 0.5 * std::log1p(spread);
  return -numerics::capacity_bits(gain) * std::expm1(exponent) -
         numerics::capacity_bits(gain * std::erf(belief.eta / std::numbers::sqrt2));
}

// math.md eq. (4.7)
double class_target_information_b(const LatentMarginal& latent, double accuracy, double top_accuracy) {
  check_accuracy(accuracy);
  check_accuracy(top_accuracy);
  const double gain = gain_of(accuracy), top_gain = gain_of(top_accuracy);
  require(std::abs(gain) <= std::abs(top_gain), place, "accuracy", accuracy,
          "no further from 1/2 than that of Y");
  const ClassProbabilities clean = TurnedBelief(latent).clean;
  if (gain == 0.0) return 0.0;  // also if Y is a coin, where the quotient of the gains would be 0/0
  return channel_information(gain / top_gain, through(top_accuracy, clean), through(accuracy, clean));
}

double class_target_information_c(const LatentMarginal& latent, double accuracy, double top_accuracy) {
  double bits = 0.0;
  class_target_information_c(latent, {&accuracy, 1}, top_accuracy, {&bits, 1});
  return bits;
}

void class_target_information_c(const LatentMarginal& latent, std::span<const double> accuracies,
                                double top_accuracy, std::span<double> bits) {
  std::ranges::for_each(accuracies, check_accuracy);
  check_accuracy(top_accuracy);
  const LatentQuadrature quadrature(latent);
  const double clean_variance = quadrature.clean_variance();
  std::ranges::transform(accuracies, bits.begin(), [&](double accuracy) {
    return quadrature.target_information_c(clean_variance, accuracy, top_accuracy);
  });
}

}  // namespace acuity
