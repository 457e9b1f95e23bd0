// The other summit of the likelihood of few answers (docs/math.md 11.5).
#include <gtest/gtest.h>

#include <cmath>

#include "acuity/model/learn.hpp"
#include "numerics/random.hpp"

namespace acuity::noisier_fit_test {
namespace {

// A wave on a line with noise of this standard deviation, and a kernel with one length scale.
struct Wave {
  explicit Wave(Index n, double noise_sd, double steepness = 1.0, std::uint32_t stream = 1) {
    numerics::Draws draws(35, numerics::Purpose::data, stream);
    Points x(n, 1);
    Vector y(n);
    for (Index i = 0; i < n; ++i) {
      x(i, 0) = draws.uniform(-2.0, 2.0);
      y(i) = std::sin(steepness * x(i, 0)) + noise_sd * draws.normal();
    }
    prior.mean = y.mean();
    observations = Observations(x, y, Vector(Vector::Constant(n, known_noise)));
    options.hyperparameter_prior = HyperparameterPrior::weak;
    options.nugget = 0.0;
    options.threads = 1;
    spread = (y.array() - prior.mean).square().mean();
  }
  Learned learned() const { return learn(prior, observations, options); }

  // math.md eq. (11.3), for one input in standard units.
  double penalised(double log_marginal, double log_lengthscale, double nugget) const {
    const double u = std::min(0.0, log_lengthscale / 0.7);
    const double t = (std::log(nugget / spread) - std::log(0.01)) / 2.5;
    return log_marginal - 0.5 * u * u - 0.5 * t * t;
  }

  static constexpr double known_noise = 1e-6;
  Prior prior;
  Observations observations;
  LearnOptions options;
  double spread = 0.0;
};

// The slow twin: the kernel of the second summit is searched on a grid.
double probability_by_grid(const Wave& wave, const Learned& learned) {
  const auto height = [&](double log_amplitude, double log_lengthscale, double nugget) {
    Prior prior = wave.prior;
    prior.kernel =
        prior.kernel->with_log_parameters((Vector(2) << log_amplitude, log_lengthscale).finished());
    const Observations noisy = wave.observations.with_noise(wave.observations.noise().array() + nugget);
    return wave.penalised(likelihood(prior, noisy).log_marginal, log_lengthscale, nugget);
  };
  const Vector at = learned.prior.kernel->log_parameters();
  double highest = -1e300;
  for (double a = -3.0; a < 4.0; a += 0.05)
    for (double l = -3.0; l < 5.0; l += 0.05) highest = std::max(highest, height(a, l, 0.05 * wave.spread));
  return 1.0 / (1.0 + std::exp(height(at(0), at(1), learned.nugget) - highest));
}

TEST(NoisierFit, IsTheSecondSummitOfTheGrid) {
  int open = 0;
  for (const std::uint32_t stream : {1U, 2U, 3U, 4U}) {
    const Wave wave(9, 0.05, 1.5, stream);
    const Learned learned = wave.learned();
    if (learned.nugget >= 0.05 * wave.spread) continue;
    const NoisierFit other = noisier_fit(learned, wave.observations, wave.options);
    EXPECT_NEAR(other.nugget, 0.05 * wave.spread, 1e-12 * wave.spread);
    const double wanted = probability_by_grid(wave, learned);
    EXPECT_NEAR(other.probability, wanted, 0.01 + 0.02 * wanted) << stream;
    open += other.probability > 0.02 && other.probability < 0.98;
  }
  EXPECT_GT(open, 0) << "nine answers leave it open";
}

TEST(NoisierFit, ManyExactAnswersRuleItOut) {
  const Wave wave(60, 1e-3);
  const Learned learned = wave.learned();
  const NoisierFit other = noisier_fit(learned, wave.observations, wave.options);
  EXPECT_LT(other.probability, 1e-6);
  Learned complete = learned;
  EXPECT_EQ(noise_share(complete), 0.0) << "nobody has asked";
  complete.noisier = other;
  EXPECT_NEAR(noise_share(complete), learned.nugget / wave.spread, 1e-12);
}

TEST(NoisierFit, IsNotLookedForWhereItIsNotAnother) {
  const Wave noisy(60, 0.5);
  const Learned learned = noisy.learned();
  ASSERT_GT(learned.nugget, 0.05 * noisy.spread);
  EXPECT_EQ(noisier_fit(learned, noisy.observations, noisy.options).probability, 0.0);

  const Wave many(301, 1e-3);
  const Learned fast{.prior = many.prior, .nugget = 1e-6};
  EXPECT_EQ(noisier_fit(fast, many.observations, many.options).probability, 0.0);
  EXPECT_GT(noisier_fit(fast, many.observations, many.options).nugget, 0.0);

  Wave given(9, 0.05);
  given.options.nugget.reset();
  EXPECT_EQ(noisier_fit(fast, given.observations, given.options).probability, 0.0) << "a nugget is given";
}

// Both summits count with the factors of the declared noise that were learned. A declared noise that is far
// too large would otherwise hide the structure at the first one.
TEST(NoisierFit, CountsTheFactorsOfTheNoise) {
  Wave wave(25, 0.01, 1.5);
  const Index n = wave.observations.size();
  wave.options.noise =
      NoiseParts{.fixed = Vector::Zero(n), .base = Vector::Constant(n, 0.3), .added = Vector::Zero(n)};
  const Learned learned = wave.learned();
  ASSERT_LT(learned.base_scale, 0.05);
  const auto height = [&](const Learned& at, double nugget) {
    const NoiseScales scales{.added = at.added_scale, .base = at.base_scale, .levels = {}};
    const double by_scale = std::log(at.base_scale) / 1.5;
    return wave.penalised(
               likelihood(at.prior, wave.observations, *wave.options.noise, scales, nugget).log_marginal,
               at.prior.kernel->log_parameters()(1), nugget) -
           0.5 * by_scale * by_scale;
  };
  const double usual = 0.05 * wave.spread;
  LearnOptions with_more = wave.options;
  with_more.nugget.reset();
  with_more.restarts = 0;
  with_more.noise->fixed.array() += usual;
  with_more.noise->start.base = learned.base_scale;
  const Learned found = learn(learned.prior, wave.observations, with_more);
  const double wanted = 1.0 / (1.0 + std::exp(height(learned, learned.nugget) - height(found, usual)));
  EXPECT_NEAR(noisier_fit(learned, wave.observations, wave.options).probability, wanted, 1e-6);
  EXPECT_LT(wanted, 0.01);
}

}  // namespace
}  // namespace acuity::noisier_fit_test
