#include "experiments/problem.hpp"

#include "acuity/acquisition/cost_function.hpp"

namespace acuity {

namespace {

constexpr int ladder_levels = 100;

// Equally spaced shares from 0 to 1.
std::vector<double> shares(Precisions precisions) {
  const int count = precisions == Precisions::ladder ? ladder_levels : 2;
  std::vector<double> all;
  for (int k = 0; k < count; ++k) all.push_back(static_cast<double>(k) / (count - 1));
  return all;
}

}  // namespace

PrecisionOffer regression_offer(double gamma, double c, double q, Precisions precisions) {
  const auto cost = std::make_shared<PowerCost>(PowerCostOptions{.c = c, .q = q});
  const PrecisionLaw law{.gamma = gamma, .kappa = std::nullopt};
  PrecisionOffer offer;
  for (const double share : shares(precisions)) {
    const Precision precision = Precision::of_inverse(1.0 - share);
    offer.levels.push_back(
        {.alpha = precision.alpha, .channel = law(precision), .cost = (*cost)(precision.alpha)});
  }
  // For q >= 1 no precision between the ends is ever the best (math.md 5.3): the two levels are all.
  if (precisions == Precisions::any && q < 1.0)
    offer.continuous = ContinuousPrecision{
        .vaguest = Precision::of(1.0), .sharpest = Precision::of_inverse(0.0), .law = law, .cost = cost};
  return offer;
}

PrecisionOffer class_offer(double kappa, double gamma, Precisions precisions) {
  const LinearCost cost({.b = 0.1, .c = 0.9});
  const PrecisionLaw law{.gamma = gamma, .kappa = kappa};
  PrecisionOffer offer;
  // Under a linear cost only the two ends can be the best (math.md 5.4), so they are any precision.
  for (const double alpha : shares(precisions))
    offer.levels.push_back(
        {.alpha = alpha, .channel = law({.alpha = alpha, .inverse = 1.0 / alpha}), .cost = cost(alpha)});
  return offer;
}

}  // namespace acuity
