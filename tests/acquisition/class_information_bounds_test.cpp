#include "acquisition/class_information_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>

#include "acuity/acquisition/classification_information.hpp"
#include "numerics/random.hpp"

namespace acuity::class_information_bounds_test {
namespace {

const std::vector<FlipChannel> accuracies{0.0,         0.2,        0.5,         0.6,          0.8,
                                          0.95,        0.99,       0.999,       1.0,          {0.9, 0.7},
                                          {0.3, 0.95}, {1.0, 0.4}, {0.55, 1.0}, {0.999, 0.02}};

double information(const LatentMarginal& latent, const FlipChannel& channel) {
  double bits = 0.0;
  class_model_information(latent, std::span(&channel, 1), {&bits, 1});
  return bits;
}

struct Found {
  double low, high, worth;
};

// Bounds and worth of every point at every level.
std::vector<Found> bounds_of(const Marginals& belief) {
  const Index n = belief.mean.size(), levels = static_cast<Index>(accuracies.size());
  std::vector<double> low(static_cast<std::size_t>(n * levels)), high = low;
  ClassInformationBounds(accuracies).at(belief, 0, n, low.data(), high.data());
  std::vector<Found> found;
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < levels; ++k) {
      const auto at = static_cast<std::size_t>(i * levels + k);
      found.push_back(
          {low[at], high[at],
           information({belief.mean(i), belief.variance(i)}, accuracies[static_cast<std::size_t>(k)])});
    }
  return found;
}

TEST(ClassInformationBounds, EncloseTheExactValueClosely) {
  numerics::Draws draws(51, numerics::Purpose::data, 0);
  Marginals belief{Vector(3000), Vector(3000)};
  for (Index i = 0; i < 3000; ++i) {
    belief.variance(i) = std::pow(10.0, draws.uniform(-2.99, 4.0));
    belief.mean(i) = draws.uniform(-8.0, 8.0) * std::sqrt(1.0 + (i % 2 == 0 ? belief.variance(i) : 0.0));
  }
  double largest_error = 0.0;
  for (const auto& [low, high, worth] : bounds_of(belief)) {
    EXPECT_LE(low, worth);
    EXPECT_GE(high, worth);
    EXPECT_LT(high - low, 2.001 * ClassInformationBounds::margin);
    largest_error = std::max(largest_error, std::abs(worth - 0.5 * (low + high)));
  }
  EXPECT_LT(largest_error, 0.1 * ClassInformationBounds::margin) << "the margin is no longer a safe one";
}

TEST(ClassInformationBounds, HoldForBeliefsTooNarrowAndTooFarForTheTable) {
  std::vector<double> means, variances;
  for (const double mean : {0.0, 0.3, -1.0, 2.0, -7.4, 8.1, 40.0, 1e9, -1e200})
    for (const double variance : {0.0, 1e-300, 1e-12, 1e-4, 9e-4, 1e-3, 5.0, 1e8, 1e200}) {
      means.push_back(mean);
      variances.push_back(variance);
    }
  const Index n = static_cast<Index>(means.size());
  for (const auto& [low, high, worth] :
       bounds_of({Eigen::Map<Vector>(means.data(), n), Eigen::Map<Vector>(variances.data(), n)})) {
    EXPECT_LE(low, worth);
    EXPECT_GE(high, worth);
  }
}

TEST(ClassInformationBounds, NoWorthChangesFasterWithTheBeliefThanTheySay) {
  numerics::Draws draws(52, numerics::Purpose::data, 0);
  const ClassInformationBounds bounds(accuracies);
  double steepest_mean = 0.0, steepest_variance = 0.0;
  for (int round = 0; round < 4000; ++round) {
    const LatentMarginal from{draws.uniform(-4.0, 4.0), std::pow(10.0, draws.uniform(-4.0, 2.0))};
    const double far = std::pow(10.0, draws.uniform(-3.0, 0.5));
    const double mean = round % 3 == 0 ? 0.0 : far * draws.uniform(-1.0, 1.0),
                 variance = round % 3 == 1 ? 0.0 : std::max(far * draws.uniform(-1.0, 1.0), -from.variance);
    for (const FlipChannel& channel : accuracies) {
      const double change = std::abs(information({from.mean + mean, from.variance + variance}, channel) -
                                     information(from, channel));
      EXPECT_LE(change, bounds.change(std::abs(mean), std::abs(variance)) + 1e-12);
      if (variance == 0.0)
        steepest_mean = std::max(steepest_mean, change / bounds.change(std::abs(mean), 0.0));
      if (mean == 0.0 && variance != 0.0)
        steepest_variance = std::max(steepest_variance, change / bounds.change(0.0, std::abs(variance)));
    }
  }
  // The bounds are not idle.
  EXPECT_GT(steepest_mean, 0.1);
  EXPECT_GT(steepest_variance, 0.4);
}

TEST(ClassInformationBounds, AreInfiniteWhereThereIsNoBelief) {
  constexpr double infinite = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const Marginals belief{Vector{{0.0, nan, infinite, 0.0, 0.0}}, Vector{{-1.0, 1.0, 1.0, nan, infinite}}};
  std::vector<double> low(5 * accuracies.size()), high = low;
  ClassInformationBounds(accuracies).at(belief, 0, 5, low.data(), high.data());
  for (const double value : low) EXPECT_EQ(value, -infinite);
  for (const double value : high) EXPECT_EQ(value, infinite);
}

}  // namespace
}  // namespace acuity::class_information_bounds_test
