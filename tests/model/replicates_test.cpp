#include "model/replicates.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "acuity/model/gp_posterior.hpp"
#include "numerics/random.hpp"
#include "support/golden.hpp"
#include "support/problems.hpp"

namespace acuity::replicates_test {
namespace {

// The slow twin of the likelihood: one row per observation, whatever the place, in long double.
double log_likelihood_by_inverse(const Prior& prior, const Observations& observations) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Points known = prior.scaling.apply(observations.points());
  Wide covariance = prior.kernel->cross(known, known).cast<long double>();
  covariance.diagonal() += observations.noise().cast<long double>();
  const Wide residual = (observations.values().array() - prior.mean).matrix().cast<long double>();
  const Eigen::FullPivLU<Wide> lu(covariance);
  const long double log_determinant = lu.matrixLU().diagonal().array().abs().log().sum();
  const long double quadratic = (residual.transpose() * lu.solve(residual)).value();
  return static_cast<double>(-0.5L * (log_determinant + quadratic +
                                      static_cast<long double>(observations.size()) *
                                          std::log(2.0L * std::numbers::pi_v<long double>)));
}

Observations repeated(std::uint64_t seed, Index count, Index places) {
  numerics::Draws draws(seed, numerics::Purpose::data, 9);
  Points where(places, 2);
  for (double& x : where.reshaped()) x = draws.uniform(0.0, 3.0);
  Points points(count, 2);
  Vector values(count), noise(count);
  for (Index i = 0; i < count; ++i) {
    points.row(i) = where.row(static_cast<Index>(draws.below(places)));
    values(i) = draws.normal();
    noise(i) = std::pow(10.0, draws.uniform(-3.0, 2.0));
  }
  return {points, values, noise};
}

TEST(Replicates, TwoReadingsOfOnePlaceAddTheirPrecisions) {
  const Replicates r =
      merge_replicates(Observations(Points::Constant(2, 1, 0.5), Vector{{1.0, 4.0}}, Vector{{0.5, 1.0}}));
  EXPECT_EQ(r.group, (std::vector<Index>{0, 0}));
  ASSERT_EQ(r.merged.size(), 1);
  EXPECT_EQ(r.merged.points()(0, 0), 0.5);
  EXPECT_NEAR(r.merged.noise()(0), 1.0 / 3.0, 1e-15);
  EXPECT_NEAR(r.merged.values()(0), 2.0, 1e-15);
  // math.md eq. (8.2) in closed form.
  const double closed = -0.5 * (std::log(2.0 * std::numbers::pi) + std::log(0.5) + std::log(1.0) -
                                std::log(1.0 / 3.0) + 1.0 / 0.5 + 16.0 / 1.0 - 4.0 * 3.0);
  EXPECT_NEAR(r.log_likelihood_excess, closed, 1e-14);
}

TEST(Replicates, WithoutRepeatsEverythingStaysBitForBit) {
  const Observations given(Points::Random(20, 3), Vector::Random(20), Vector::LinSpaced(20, 0.0, 1.0));
  const Replicates r = merge_replicates(given);
  EXPECT_EQ(r.merged.points(), given.points());
  EXPECT_EQ(r.merged.values(), given.values());
  EXPECT_EQ(r.merged.noise(), given.noise());
  EXPECT_EQ(r.log_likelihood_excess, 0.0);
}

TEST(Replicates, PlacesKeepTheOrderOfTheirFirstObservation) {
  Points x(5, 1);
  x << 2.0, 1.0, 2.0, 3.0, 1.0;
  const Replicates r = merge_replicates(Observations(x, Vector::Ones(5), Vector::Ones(5)));
  EXPECT_EQ(r.group, (std::vector<Index>{0, 1, 0, 2, 1}));
  EXPECT_EQ(r.merged.points(), (Points(3, 1) << 2.0, 1.0, 3.0).finished());
}

TEST(Replicates, ExactOnesStayAndNeighboursAreOthers) {
  Points x(5, 1);
  x << 1.0, 1.0, 1.0, 1.0, std::nextafter(1.0, 2.0);
  const Replicates r = merge_replicates(Observations(x, Vector::Ones(5), Vector{{0.0, 0.2, 0.0, 0.2, 0.2}}));
  EXPECT_EQ(r.group, (std::vector<Index>{0, 1, 2, 1, 3}));
}

TEST(Replicates, NoiseOfAnySizeNeitherOverflowsNorVanishes) {
  const Replicates r = merge_replicates(
      Observations(Points::Zero(4, 1), Vector{{1.0, 2.0, 3.0, 4.0}}, Vector{{1e300, 1e-300, 1e300, 1e308}}));
  EXPECT_EQ(r.merged.noise()(0), 1e-300);
  EXPECT_EQ(r.merged.values()(0), 2.0);
  EXPECT_TRUE(std::isfinite(r.log_likelihood_excess));
}

TEST(Replicates, NoneOfNoneIsNone) {
  const Replicates r = merge_replicates(Observations(Points(0, 2), Vector(0), Vector(0)));
  EXPECT_EQ(r.merged.size(), 0);
  EXPECT_EQ(r.merged.points().cols(), 2);
}

RC_GTEST_PROP(Replicates, PosteriorAndLikelihoodAreThoseOfTheRawData, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const Observations raw = repeated(seed, *rc::gen::inRange(1, 60), *rc::gen::inRange(1, 12));
  const Prior prior{.mean = 0.4};
  const GpPosterior posterior(prior, raw);
  const Points at = Points::Random(20, 2);
  const Marginals fast = posterior.predict(at), slow = testing::predict_by_inverse(prior, raw, at);
  RC_ASSERT((fast.mean - slow.mean).cwiseAbs().maxCoeff() < 1e-9);
  RC_ASSERT((fast.variance - slow.variance).cwiseAbs().maxCoeff() < 1e-9);
  RC_ASSERT(testing::close(posterior.log_marginal_likelihood(), log_likelihood_by_inverse(prior, raw), 1e-9));
  // The merged data have a likelihood of their own; the excess is what they cannot say.
  const Replicates r = merge_replicates(raw);
  RC_ASSERT(testing::close(GpPosterior(prior, r.merged).log_marginal_likelihood() + r.log_likelihood_excess,
                           log_likelihood_by_inverse(prior, raw), 1e-9));
}

// Log likelihood and slopes with one row per observation.
Likelihood likelihood_by_rows(const Prior& prior, const Observations& raw, const NoiseParts& noise,
                              const NoiseScales& scales, double nugget) {
  const Vector variance = noise.variance(scales).array() + nugget;
  const Points x = prior.scaling.apply(raw.points());
  Matrix covariance = prior.kernel->cross(x, x);
  covariance.diagonal() += variance;
  const Matrix inverse = covariance.inverse();
  const Vector residual = raw.values().array() - prior.mean, weights = inverse * residual;
  const Matrix slopes = 0.5 * (weights * weights.transpose() - inverse);
  std::vector<Vector> parts{scales.added * noise.added, scales.base * noise.base};
  for (std::size_t k = 0; k < noise.levels.size(); ++k) parts.push_back(scales.levels[k] * noise.levels[k]);
  parts.push_back(Vector::Constant(raw.size(), nugget));
  const Vector of_kernel = prior.kernel->weighted_gradient(x, slopes);
  Likelihood found{log_likelihood_by_inverse(prior, raw.with_noise(variance)),
                   Vector(of_kernel.size() + static_cast<Index>(parts.size()))};
  found.gradient.head(of_kernel.size()) = of_kernel;
  for (std::size_t k = 0; k < parts.size(); ++k)
    found.gradient(of_kernel.size() + static_cast<Index>(k)) = slopes.diagonal().dot(parts[k]);
  return found;
}

// Noise that is learned changes how replicates are weighed against each other.
RC_GTEST_PROP(Replicates, LikelihoodOfScaledNoiseIsThatOfTheRawData, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto count = *rc::gen::inRange<Index>(1, 60);
  const Observations raw = repeated(seed, count, *rc::gen::inRange(1, 12));
  const auto given = static_cast<std::uint64_t>(seed);
  numerics::Draws draws(given, numerics::Purpose::data, 10);
  const auto some = [&] {
    Vector part(count);
    for (double& variance : part) variance = draws.below(3) == 0 ? 0.0 : std::pow(10.0, draws.uniform(-2, 1));
    return part;
  };
  NoiseParts noise{.fixed = some(), .base = some(), .added = some()};
  noise.levels = {some(), some()};
  const NoiseScales scales{.added = 1.7, .base = 0.4, .levels = {2.5, 0.8}};
  const Prior prior{.mean = 0.4};
  const Likelihood fast = likelihood(prior, raw, noise, scales, 0.03),
                   slow = likelihood_by_rows(prior, raw, noise, scales, 0.03);
  RC_ASSERT(testing::close(fast.log_marginal, slow.log_marginal, 1e-9));
  RC_ASSERT(fast.gradient.size() == slow.gradient.size());
  for (Index k = 0; k < slow.gradient.size(); ++k)
    RC_ASSERT(testing::close(fast.gradient(k), slow.gradient(k), 1e-7));
}

// Ten answers at each of few places cost as much as one there.
TEST(Replicates, TheLikelihoodHasOneRowPerPlace) {
  const Observations raw = repeated(3, 4000, 40);
  const Prior prior;
  const PlacesOf places(prior, raw);
  EXPECT_EQ(places.count(), 40);
  EXPECT_TRUE(places.any_twice());
  EXPECT_FALSE(PlacesOf(prior, merge_replicates(raw).merged).any_twice());
}

}  // namespace
}  // namespace acuity::replicates_test
