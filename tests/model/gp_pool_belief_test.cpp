#include "acuity/model/gp_pool_belief.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "acuity/model/gp_posterior.hpp"
#include "numerics/random.hpp"
#include "support/problems.hpp"

namespace acuity {
namespace {

double worst(const Marginals& a, const Marginals& b) {
  return std::max((a.mean - b.mean).cwiseAbs().maxCoeff(), (a.variance - b.variance).cwiseAbs().maxCoeff());
}

Marginals rebuilt(const Prior& prior, const Points& pool, const std::vector<Observation>& observations) {
  if (observations.empty()) return GpPoolBelief(prior, pool).marginals();
  Marginals m = testing::predict_by_inverse(prior, Observations(observations, pool), pool);
  m.variance = m.variance.cwiseMax(0.0);
  return m;
}

// Sequences with repeats, near-duplicates, places outside the pool, and noise over twelve orders of
// magnitude.
RC_GTEST_PROP(GpPoolBelief, EqualsStartingAgainAfterAnySequence, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  const auto count = *rc::gen::inRange(1, 40);
  const auto inputs = *rc::gen::inRange(1, 4);
  const auto family = *rc::gen::element(KernelFamily::rbf, KernelFamily::matern32, KernelFamily::matern52);
  numerics::Draws draws(seed, numerics::Purpose::data, 1);
  Points pool(300, inputs);  // more than one tile
  for (double& x : pool.reshaped()) x = draws.uniform(0.0, 5.0);
  const Prior prior{.kernel = std::make_shared<StationaryKernel>(
                        StationaryKernelOptions{.family = family, .amplitude = 1.5}),
                    .mean = -0.4};
  GpPoolBelief belief(prior, pool);
  std::vector<Observation> observations;
  for (int i = 0; i < count; ++i) {
    const std::int64_t kind = draws.below(4);
    const Index row = static_cast<Index>(draws.below(pool.rows()));
    Vector x = pool.row(row).transpose();
    if (kind == 2) x.array() += 1e-7 * draws.normal();
    if (kind == 3)
      for (double& value : x) value = draws.uniform(0.0, 5.0);
    const bool again = kind == 0 && !observations.empty();
    const Place place = again       ? observations[static_cast<std::size_t>(draws.below(i))].place
                        : kind <= 1 ? Place(row)
                                    : Place(x);
    const Observation o{.place = place,
                        .value = draws.normal(),
                        .channel = GaussianChannel{std::pow(10.0, draws.uniform(-6.0, 6.0))}};
    observations.push_back(o);
    belief.condition(o.place, o.channel, o.value);
  }
  RC_ASSERT(worst(belief.marginals(), rebuilt(prior, pool, observations)) < 1e-9);
}

TEST(GpPoolBelief, TakesAThousandIdenticalInputs) {
  const testing::Problem problem = testing::make_problem({.pool = 20});
  GpPoolBelief belief(problem.prior, problem.pool);
  double precision = 0.0, weighted = 0.0;
  for (int i = 0; i < 1000; ++i) {
    const double noise = i % 3 == 0 ? 1e-6 : 0.5, value = 1.0 + 1e-3 * (i % 7);
    belief.condition(3, GaussianChannel{noise}, value);
    precision += 1.0 / noise;
    weighted += (value - problem.prior.mean) / noise;
  }
  // A thousand answers at one point are one answer with their summed precision (math.md 8).
  const Observation merged{.place = 3,
                           .value = problem.prior.mean + weighted / precision,
                           .channel = GaussianChannel{1.0 / precision}};
  EXPECT_LT(worst(belief.marginals(), rebuilt(problem.prior, problem.pool, {merged})), 1e-9);
  EXPECT_EQ(belief.size(), 1000);
}

TEST(GpPoolBelief, AppendingAndBuildingAtOnceGiveTheSameBits) {
  const testing::Problem problem = testing::make_problem({.pool = 700, .observations = 45, .inputs = 3});
  GpPoolBelief stepwise(problem.prior, problem.pool);
  for (const Observation& o : problem.observations) stepwise.condition(o.place, o.channel, o.value);
  const GpPoolBelief at_once(problem.prior, problem.pool, problem.observations);
  EXPECT_EQ(stepwise.marginals().mean, at_once.marginals().mean);
  EXPECT_EQ(stepwise.marginals().variance, at_once.marginals().variance);
}

TEST(GpPoolBelief, DoesNotDependOnTheNumberOfThreads) {
  const testing::Problem problem = testing::make_problem({.pool = 20'000, .observations = 100});
  const GpPoolBelief one(problem.prior, problem.pool, problem.observations, 1);
  const GpPoolBelief four(problem.prior, problem.pool, problem.observations, 4);
  EXPECT_EQ(one.marginals().mean, four.marginals().mean);
  EXPECT_EQ(one.marginals().variance, four.marginals().variance);
}

TEST(GpPoolBelief, VarianceNeverRises) {
  const testing::Problem problem = testing::make_problem({.pool = 400, .observations = 60});
  GpPoolBelief belief(problem.prior, problem.pool);
  for (const Observation& o : problem.observations) {
    const Vector before = belief.marginals().variance;
    belief.condition(o.place, o.channel, o.value);
    EXPECT_LE((belief.marginals().variance - before).maxCoeff(), 0.0);
    EXPECT_GE(belief.marginals().variance.minCoeff(), 0.0);
  }
}

TEST(GpPoolBelief, AtTheObservedPointNothingCancels) {
  GpPoolBelief belief(Prior{}, Points::Constant(1, 1, 2.0));
  belief.condition(0, GaussianChannel{1e-9}, 1.0);
  EXPECT_NEAR(belief.marginals().variance(0) / (1e-9 / (1.0 + 1e-9)), 1.0, 1e-14);
}

TEST(GpPoolBelief, APendingAnswerLowersVariancesAndLeavesMeans) {
  const testing::Problem problem = testing::make_problem({.pool = 300});
  GpPoolBelief belief(problem.prior, problem.pool, problem.observations);
  const Marginals before = belief.marginals();
  belief.condition(17, GaussianChannel{0.02}, std::nullopt);
  EXPECT_LT((belief.marginals().mean - before.mean).cwiseAbs().maxCoeff(), 1e-12);
  std::vector<Observation> with = problem.observations;
  with.push_back({.place = 17, .value = 123.0, .channel = GaussianChannel{0.02}});
  EXPECT_LT((belief.marginals().variance - rebuilt(problem.prior, problem.pool, with).variance)
                .cwiseAbs()
                .maxCoeff(),
            1e-10);
}

TEST(GpPoolBelief, AnAnswerAfterPendingOnesGivesTheMeansOfTheAnswersAlone) {
  const testing::Problem problem = testing::make_problem({.pool = 300});
  GpPoolBelief belief(problem.prior, problem.pool);
  std::vector<Observation> answered, all;
  for (std::size_t i = 0; i < problem.observations.size(); ++i) {
    const Observation& o = problem.observations[i];
    const bool pending = i % 3 == 1;
    belief.condition(o.place, o.channel, pending ? std::nullopt : std::optional(o.value));
    all.push_back(o);
    if (!pending) answered.push_back(o);
    EXPECT_LT(
        (belief.marginals().mean - rebuilt(problem.prior, problem.pool, answered).mean).cwiseAbs().maxCoeff(),
        1e-9);
    EXPECT_LT((belief.marginals().variance - rebuilt(problem.prior, problem.pool, all).variance)
                  .cwiseAbs()
                  .maxCoeff(),
              1e-9);
  }
}

TEST(GpPoolBelief, RefusesWhatCannotBeAnObservation) {
  GpPoolBelief belief(Prior{}, Points::Zero(2, 1));
  EXPECT_THROW(belief.condition(0, GaussianChannel{-1.0}, 0.0), std::invalid_argument);
  EXPECT_THROW(belief.condition(0, GaussianChannel{1.0}, std::nan("")), std::invalid_argument);
  EXPECT_THROW(belief.condition(2, GaussianChannel{1.0}, 0.0), std::invalid_argument);
  EXPECT_THROW(belief.condition(Place(Vector::Zero(2)), GaussianChannel{1.0}, 0.0), std::invalid_argument);
  EXPECT_THROW(belief.condition(0, FlipChannel{0.9}, 1.0), std::invalid_argument);
  EXPECT_EQ(belief.size(), 0);
  belief.condition(0, GaussianChannel{1.0}, 0.5);
  EXPECT_DOUBLE_EQ(belief.marginals().mean(0), 0.25);
}

TEST(GpPoolBelief, AnExactAnswerTwiceIsJitteredOnce) {
  GpPoolBelief belief(Prior{}, Points::Zero(1, 1));
  belief.condition(0, GaussianChannel{0.0}, 1.0);
  EXPECT_EQ(belief.jittered(), 0);
  belief.condition(0, GaussianChannel{0.0}, 1.0);
  EXPECT_EQ(belief.jittered(), 1);
  EXPECT_EQ(belief.marginals().mean(0), 1.0);
}

}  // namespace
}  // namespace acuity
