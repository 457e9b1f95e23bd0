// Learning how often labels are right: kappa and gamma of a ladder of classes.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/learn.hpp"
#include "model/learning_problem.hpp"
#include "numerics/random.hpp"
#include "support/classes.hpp"

namespace acuity::learn_accuracy_test {
namespace {

using testing::labelled;

struct FlippedLabels {
  Observations observations;
  AccuracyParts accuracy;
};

// A wavy boundary; labels at alphas 0, 1/2 and 1, flipped as `truth` says; learning starts elsewhere.
FlippedLabels flipped(std::uint32_t stream, Index n, const AccuracyLaw& truth) {
  numerics::Draws draws(31, numerics::Purpose::data, stream);
  Points x(n, 2);
  Vector labels(n), accuracies(n);
  AccuracyParts accuracy{.law = {.kappa = 0.8, .gamma = 0.15}, .alpha = {}};
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = draws.uniform(-2.0, 2.0);
    x(i, 1) = draws.uniform(-2.0, 2.0);
    const double alpha = 0.5 * static_cast<double>(draws.below(3));
    const double clean = x(i, 1) > std::sin(2.0 * x(i, 0)) ? 1.0 : -1.0;
    labels(i) = draws.uniform() < truth(alpha) ? clean : -clean;
    accuracies(i) = accuracy.law(alpha);
    accuracy.alpha.emplace_back(alpha);
  }
  return {labelled(x, labels, accuracies), accuracy};
}

Likelihood at(const Prior& prior, const FlippedLabels& data, const Vector& log_parameters,
              const AccuracyLaw& law) {
  Prior moved = prior;
  moved.kernel = prior.kernel->with_log_parameters(log_parameters);
  return likelihood(moved, data.observations, {law, data.accuracy.alpha});
}

// A climb goes on from the sites of its last evaluation. Where that is too far away it begins anew.
TEST(LearnAccuracy, WhereSitesBeginMakesNoDifference) {
  const FlippedLabels data = flipped(3, 60, {.kappa = 0.7, .gamma = 0.25});
  numerics::Draws draws(9, numerics::Purpose::data, 2);
  std::optional<Sites> sites;
  for (int step = 0; step < 25; ++step) {
    const double far = step % 8 == 7 ? 3.0 : 0.3;
    Prior prior;
    prior.kernel =
        prior.kernel->with_log_parameters(Vector{{draws.uniform(0.0, far), draws.uniform(-far, far)}});
    const AccuracyParts accuracy{{draws.uniform(0.6, 0.7), draws.uniform(0.0, 0.28)}, data.accuracy.alpha};
    const Likelihood warm = likelihood(prior, data.observations, accuracy, &sites),
                     cold = likelihood(prior, data.observations, accuracy);
    ASSERT_EQ(std::isfinite(warm.log_marginal), std::isfinite(cold.log_marginal));
    if (!std::isfinite(cold.log_marginal)) continue;
    EXPECT_NEAR(warm.log_marginal, cold.log_marginal, 1e-9);
    EXPECT_LT((warm.gradient - cold.gradient).cwiseAbs().maxCoeff(), 1e-8);
    ASSERT_TRUE(sites);
    EXPECT_EQ(sites->precision.size(), 60);
  }
}

TEST(LearnAccuracy, TheGradientIsTheSlopeOfReconvergedEvidence) {
  FlippedLabels data = flipped(1, 20, {.kappa = 0.7, .gamma = 0.25});
  for (const std::size_t i : {2U, 7U, 11U}) data.accuracy.alpha[i].reset();
  constexpr double h = 1e-5;
  for (const AccuracyLaw law : {AccuracyLaw{0.8, 0.15}, AccuracyLaw{0.6, 0.35}, AccuracyLaw{0.55, 0.1}}) {
    const Vector theta{{0.4, 0.1}};
    const auto value = [&](double a, double l, double kappa, double gamma) {
      return at({}, data, Vector{{theta(0) + a, theta(1) + l}}, {law.kappa + kappa, law.gamma + gamma})
          .log_marginal;
    };
    const Vector gradient = at({}, data, theta, law).gradient;
    ASSERT_EQ(gradient.size(), 4);
    EXPECT_NEAR(gradient(0), (value(h, 0, 0, 0) - value(-h, 0, 0, 0)) / (2 * h), 1e-7);
    EXPECT_NEAR(gradient(1), (value(0, h, 0, 0) - value(0, -h, 0, 0)) / (2 * h), 1e-7);
    EXPECT_NEAR(gradient(2), (value(0, 0, h, 0) - value(0, 0, -h, 0)) / (2 * h), 1e-7);
    EXPECT_NEAR(gradient(3), (value(0, 0, 0, h) - value(0, 0, 0, -h)) / (2 * h), 1e-7);
  }
}

TEST(LearnAccuracy, LabelsOfReportedAccuracyKeepIt) {
  FlippedLabels data = flipped(2, 5, {});
  data.accuracy.alpha = {0.0, std::nullopt, 1.0, std::nullopt, 0.5};
  data.accuracy.law = {.kappa = 0.6, .gamma = 0.4};
  const auto found = data.accuracy.applied_to(data.observations).channels();
  const auto given = data.observations.channels();
  const auto accuracy = [](const Channel& channel) { return std::get<FlipChannel>(channel).accuracy(); };
  EXPECT_EQ(accuracy(found[0]), 0.6);
  EXPECT_EQ(accuracy(found[1]), accuracy(given[1]));
  EXPECT_EQ(accuracy(found[2]), 1.0);
  EXPECT_EQ(accuracy(found[3]), accuracy(given[3]));
  EXPECT_EQ(accuracy(found[4]), 0.8);
}

// No optimiser chose these.
double best_on_a_grid(const FlippedLabels& data) {
  double best = -1e300;
  for (double log_a = -1.0; log_a <= 4.0; log_a += 0.7)
    for (double log_l = -1.0; log_l <= 1.5; log_l += 0.4)
      for (double kappa = 0.5; kappa <= 1.0; kappa += 0.1)
        for (double top = kappa + 0.01; top <= 1.0; top += 0.1)
          best = std::max(best, at({}, data, Vector{{log_a, log_l}}, {kappa, top - kappa}).log_marginal);
  return best;
}

TEST(LearnAccuracy, ReachesTheBestEvidenceOfAGrid) {
  for (const std::uint32_t stream : {3U, 4U, 5U}) {
    const FlippedLabels data = flipped(stream, 24, {.kappa = 0.7, .gamma = 0.3});
    const Learned learned = learn({}, data.observations, {.accuracy = data.accuracy});
    ASSERT_TRUE(learned.accuracy);
    EXPECT_GE(learned.log_marginal_likelihood, best_on_a_grid(data) - 1e-6) << learned.reason;
    EXPECT_NEAR(
        likelihood(learned.prior, data.observations, {*learned.accuracy, data.accuracy.alpha}).log_marginal,
        learned.log_marginal_likelihood, 1e-8);
    const Learned with_the_law_given = learn({}, data.observations);
    EXPECT_GE(learned.log_marginal_likelihood, with_the_law_given.log_marginal_likelihood - 1e-6)
        << "more freedom cannot be worse";
  }
}

TEST(LearnAccuracy, RecoversHowOftenLabelsWereFlipped) {
  for (const AccuracyLaw truth : {AccuracyLaw{0.65, 0.35}, AccuracyLaw{0.9, 0.1}}) {
    const FlippedLabels data = flipped(6, 110, truth);
    const Learned learned = learn({}, data.observations, {.restarts = 0, .accuracy = data.accuracy});
    EXPECT_TRUE(learned.converged) << learned.reason;
    EXPECT_NEAR(learned.accuracy->kappa, truth.kappa, 0.12);
    EXPECT_NEAR((*learned.accuracy)(1.0), truth(1.0), 0.1);
    std::printf("kappa %.3f gamma %.3f: learned %.3f and %.3f, %d evaluations\n", truth.kappa, truth.gamma,
                learned.accuracy->kappa, learned.accuracy->gamma, learned.evaluations);
  }
}

TEST(LearnAccuracy, StaysWithinItsBoundsAndSaysWhereItIsAtOne) {
  const FlippedLabels data = flipped(7, 40, {.kappa = 1.0, .gamma = 0.0});
  const Learned learned = learn({}, data.observations, {.accuracy = data.accuracy});
  EXPECT_GT(learned.accuracy->gamma, 0.0);
  EXPECT_LE(learned.accuracy->kappa + learned.accuracy->gamma, 1.0 + 1e-15);
  EXPECT_GT(learned.accuracy->kappa, 0.9);
  EXPECT_NE(learned.reason.find("kappa, gamma or their sum is at its bound"), std::string::npos)
      << learned.reason;
}

TEST(LearnAccuracy, LabelsThatSayNothingLeaveTheLawAsItWas) {
  const Points same = Points::Constant(40, 1, 0.3);
  Vector labels(40);
  for (Index i = 0; i < 40; ++i) labels(i) = i % 2 == 0 ? 1.0 : -1.0;
  AccuracyParts accuracy{.law = {.kappa = 0.8, .gamma = 0.15}, .alpha = {}};
  accuracy.alpha.assign(40, 1.0);
  const Learned learned =
      learn({}, labelled(same, labels, Vector::Constant(40, 0.95)), {.accuracy = accuracy});
  EXPECT_EQ(learned.accuracy->kappa, 0.8);
  EXPECT_EQ(learned.accuracy->gamma, 0.15);
  EXPECT_NE(learned.reason.find("the earlier values are kept"), std::string::npos) << learned.reason;
}

TEST(LearnAccuracy, FollowsFromTheSeedOnAnyNumberOfThreads) {
  const FlippedLabels data = flipped(8, 24, {.kappa = 0.7, .gamma = 0.3});
  const Learned one = learn({}, data.observations, {.seed = 3, .threads = 1, .accuracy = data.accuracy});
  const Learned three = learn({}, data.observations, {.seed = 3, .threads = 3, .accuracy = data.accuracy});
  EXPECT_EQ(one.accuracy->kappa, three.accuracy->kappa);
  EXPECT_EQ(one.accuracy->gamma, three.accuracy->gamma);
  EXPECT_EQ(one.evaluations, three.evaluations);
}

TEST(LearnAccuracy, RefusesWhatIsNoLaw) {
  const FlippedLabels data = flipped(9, 6, {});
  const auto refused = [&](const AccuracyParts& accuracy, Optimiser optimiser = Optimiser::lbfgs) {
    EXPECT_THROW(learn({}, data.observations, {.optimiser = optimiser, .accuracy = accuracy}),
                 std::invalid_argument);
  };
  refused(data.accuracy, Optimiser::adam);
  for (const AccuracyLaw law :
       {AccuracyLaw{0.4, 0.1}, AccuracyLaw{0.8, 0.3}, AccuracyLaw{0.8, -0.1}, AccuracyLaw{std::nan(""), 0.1}})
    refused({law, data.accuracy.alpha});
  AccuracyParts bad = data.accuracy;
  bad.alpha[3] = 1.5;
  refused(bad);
  bad.alpha.pop_back();
  refused(bad);
  EXPECT_THROW(likelihood({}, data.observations, bad), std::invalid_argument);
  const Vector ones = Vector::Ones(6);
  EXPECT_THROW(learn({}, Observations(data.observations.points(), ones, ones), {.accuracy = data.accuracy}),
               std::invalid_argument)
      << "real values have no accuracy";
  EXPECT_THROW(learn({}, data.observations, {.noise = NoiseParts{ones, ones, ones}}), std::invalid_argument)
      << "classes have no noise variance";
}

}  // namespace
}  // namespace acuity::learn_accuracy_test
