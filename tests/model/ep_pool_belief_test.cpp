#include "acuity/model/ep_pool_belief.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/pool_belief_internals.hpp"
#include "numerics/random.hpp"
#include "support/golden.hpp"

namespace acuity::ep_pool_belief_test {
namespace {

using testing::close;

// Labels of a smooth boundary at mixed accuracies, some at pool points.
struct Problem {
  Prior prior;
  Points pool;
  std::vector<Observation> observations;
};

Problem make_problem(std::uint32_t stream, Index n, Index pool = 80) {
  numerics::Draws draws(31, numerics::Purpose::data, stream);
  Problem problem{.prior = {}, .pool = Points(pool, 2), .observations = {}};
  for (double& x : problem.pool.reshaped()) x = draws.uniform(-2.0, 2.0);
  for (Index i = 0; i < n; ++i) {
    const double accuracy = std::vector{0.7, 0.9, 1.0}[static_cast<std::size_t>(draws.below(3))];
    const double truth = problem.pool(i, 0) > 0.0 ? 1.0 : -1.0;
    problem.observations.push_back(
        {.place = i % 3 == 0 ? Place(Vector(problem.pool.row(i).transpose())) : Place(i),
         .value = draws.uniform() < accuracy ? truth : -truth,
         .channel = FlipChannel{accuracy}});
  }
  return problem;
}

double worst(const Marginals& a, const Marginals& b) {
  return std::max((a.mean - b.mean).cwiseAbs().maxCoeff(), (a.variance - b.variance).cwiseAbs().maxCoeff());
}

TEST(EpPoolBelief, ConditioningOneByOneEqualsStartingAgain) {
  for (std::uint32_t stream = 0; stream < 20; ++stream) {
    const Problem problem = make_problem(stream, 20);
    EpPoolBelief belief(problem.prior, problem.pool);
    for (const Observation& o : problem.observations) belief.condition(o.place, o.channel, o.value);
    const EpPosterior cold(problem.prior, Observations(problem.observations, problem.pool));
    EXPECT_LT(worst(belief.marginals(), cold.predict(problem.pool)), 1e-8) << stream;
    EXPECT_LT(worst(EpPoolBelief(problem.prior, problem.pool, problem.observations, 3).marginals(),
                    cold.predict(problem.pool)),
              1e-12);
  }
}

TEST(EpPoolBelief, ResultsDependNeitherOnThreadsNorOnWhatIsKept) {
  const Problem problem = make_problem(7, 30);
  const std::vector<Observation> first(problem.observations.begin(), problem.observations.begin() + 10);
  EpPoolBelief belief(problem.prior, problem.pool, first, 1);
  const Index some = 15 * problem.pool.rows() + 1;
  EpPoolBelief threads(problem.prior, problem.pool, first, 3),
      nothing(problem.prior, problem.pool, first, 1, 0), half(problem.prior, problem.pool, first, 2, some);
  for (std::size_t i = 10; i < 30; ++i) {
    const Observation& o = problem.observations[i];
    for (EpPoolBelief* b : {&belief, &threads, &nothing, &half}) b->condition(o.place, o.channel, o.value);
  }
  EXPECT_EQ(worst(belief.marginals(), threads.marginals()), 0.0);
  EXPECT_EQ(worst(belief.marginals(), nothing.marginals()), 0.0);
  EXPECT_EQ(worst(belief.marginals(), half.marginals()), 0.0);
}

TEST(EpPoolBelief, ARoughLookIsNoFurtherOffThanItSaysAndSomePointsAreAsGoodAsAll) {
  for (std::uint32_t stream = 0; stream < 4; ++stream) {
    const Problem problem = make_problem(stream, 140, 601);
    EpPoolBelief belief(problem.prior, problem.pool), all(problem.prior, problem.pool, {}, 2);
    int rough_looks = 0;
    for (const Observation& o : problem.observations) {
      belief.condition(o.place, o.channel, o.value);
      const RoughMarginals* rough = PoolBeliefInternals::rough_marginals(belief);
      if (rough == nullptr) continue;
      if (++rough_looks % 10 != 1) continue;
      const std::vector<Index> rows{600, 3, 64, 65, 3, 17};
      const Marginals some = belief.marginals_at(rows);
      // The twin has never been asked before.
      while (all.size() < belief.size()) {
        const Observation& next = problem.observations[static_cast<std::size_t>(all.size())];
        all.condition(next.place, next.channel, next.value);
      }
      const Marginals& exact = all.marginals();
      EXPECT_EQ(worst(some, {exact.mean(rows), exact.variance(rows)}), 0.0);
      EXPECT_LE(((rough->belief.mean - exact.mean).cwiseAbs() - rough->mean_error).maxCoeff(), 0.0);
      EXPECT_LE(((rough->belief.variance - exact.variance).cwiseAbs() - rough->variance_error).maxCoeff(),
                0.0);
      EXPECT_LT(rough->mean_error.maxCoeff() + rough->variance_error.maxCoeff(), 1e-2);
    }
    EXPECT_GT(rough_looks, 30) << "the low rank was never found";
  }
}

TEST(EpPoolBelief, PendingLabelsForbidARoughLook) {
  const Problem problem = make_problem(5, 140, 601);
  EpPoolBelief belief(problem.prior, problem.pool);
  for (const Observation& o : problem.observations) {
    belief.condition(o.place, o.channel, o.value);
    PoolBeliefInternals::rough_marginals(belief);
  }
  ASSERT_NE(PoolBeliefInternals::rough_marginals(belief), nullptr);
  const std::vector<Index> rows{5, 300};
  const Marginals before = belief.marginals_at(rows);
  const AnnotationHandle pending = belief.condition(5, FlipChannel{0.9}, std::nullopt);
  EXPECT_EQ(PoolBeliefInternals::rough_marginals(belief), nullptr);
  belief.cancel(pending);
  EXPECT_NE(PoolBeliefInternals::rough_marginals(belief), nullptr);
  belief.condition(5, FlipChannel{0.9}, std::nullopt);
  EXPECT_LT(belief.marginals_at(rows).variance(0), before.variance(0));
  EXPECT_EQ(belief.marginals_at(rows).variance(1), belief.marginals().variance(300));
  belief.cancel({.number = pending.number + 1});
  EXPECT_EQ(worst(belief.marginals_at(rows), before), 0.0);
  EXPECT_EQ(PoolBeliefInternals::rough_marginals(belief), nullptr) << "all of the pool is known by now";
}

TEST(EpPoolBelief, PendingLabelsHitTheGoldenValues) {
  const auto& g = testing::golden("batch_pending").at("classification_pending");
  const Points known = testing::points(g.at("X")), pending = testing::points(g.at("X_pending")),
               test = testing::points(g.at("X_test"));
  const Prior prior{.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
                        .amplitude = g.at("a"), .lengthscale = Vector::Constant(1, g.at("l"))})};
  std::vector<Observation> observations;
  for (Index i = 0; i < known.rows(); ++i)
    observations.push_back({.place = Place(known.row(i).transpose()),
                            .value = g.at("y")[static_cast<std::size_t>(i)],
                            .channel = FlipChannel{g.at("w")[static_cast<std::size_t>(i)]}});
  EpPoolBelief belief(prior, test, observations);
  for (Index i = 0; i < test.rows(); ++i)
    EXPECT_TRUE(close(belief.marginals().mean(i), g.at("mean_test")[static_cast<std::size_t>(i)], 1e-10));
  for (Index t = 0; t < pending.rows(); ++t) {
    belief.condition(Place(pending.row(t).transpose()),
                     FlipChannel{g.at("w_pending")[static_cast<std::size_t>(t)]}, std::nullopt);
    const auto& step = g.at("steps")[static_cast<std::size_t>(t)];
    for (Index i = 0; i < test.rows(); ++i) {
      EXPECT_TRUE(close(belief.marginals().mean(i), g.at("mean_test")[static_cast<std::size_t>(i)], 1e-10));
      EXPECT_TRUE(
          close(belief.marginals().variance(i), step.at("var_test")[static_cast<std::size_t>(i)], 1e-10));
    }
  }
}

TEST(EpPoolBelief, AnswersInAnyOrderEqualAnswersInOrder) {
  for (std::uint32_t stream = 0; stream < 10; ++stream) {
    const Problem problem = make_problem(stream, 14);
    EpPoolBelief late(problem.prior, problem.pool);
    std::vector<AnnotationHandle> handles;
    for (const Observation& o : problem.observations)
      handles.push_back(late.condition(o.place, o.channel, std::nullopt));
    numerics::Draws draws(3, numerics::Purpose::data, stream);
    for (const std::int64_t i : draws.permutation(14))
      late.answer(handles[static_cast<std::size_t>(i)],
                  problem.observations[static_cast<std::size_t>(i)].value);
    const EpPoolBelief in_order(problem.prior, problem.pool, problem.observations);
    EXPECT_LT(worst(late.marginals(), in_order.marginals()), 1e-8);
  }
}

TEST(EpPoolBelief, CancelledEqualsNeverAsked) {
  const Problem problem = make_problem(5, 12);
  EpPoolBelief belief(problem.prior, problem.pool, problem.observations);
  const Marginals before = belief.marginals();
  const AnnotationHandle pending = belief.condition(40, FlipChannel{0.8}, std::nullopt);
  EXPECT_LT((belief.marginals().variance - before.variance).maxCoeff(), 1e-15);
  EXPECT_LT(belief.marginals().variance(40), before.variance(40));
  belief.cancel(pending);
  EXPECT_EQ(worst(belief.marginals(), before), 0.0);
  const AnnotationHandle told = belief.condition(41, FlipChannel{0.9}, 1.0);
  belief.cancel(told);
  EXPECT_LT(worst(belief.marginals(), before), 1e-10);
}

TEST(EpPoolBelief, RefusesWhatCannotBeAnAnnotation) {
  EpPoolBelief belief({}, Points::Zero(2, 1));
  EXPECT_THROW(belief.condition(0, FlipChannel{0.9}, 0.5), std::invalid_argument);
  EXPECT_THROW(belief.condition(0, GaussianChannel{0.1}, 1.0), std::invalid_argument);
  EXPECT_THROW(belief.condition(2, FlipChannel{0.9}, 1.0), std::invalid_argument);
  EXPECT_THROW(belief.condition(Place(Vector::Zero(3)), FlipChannel{0.9}, 1.0), std::invalid_argument);
  EXPECT_THROW(belief.answer({7}, 1.0), std::invalid_argument);
  EXPECT_THROW(belief.cancel({7}), std::invalid_argument);
  EXPECT_EQ(belief.size(), 0);
}

}  // namespace
}  // namespace acuity::ep_pool_belief_test
