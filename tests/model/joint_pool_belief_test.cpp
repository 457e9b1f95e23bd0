#include "acuity/model/joint_pool_belief.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "acuity/model/gp_posterior.hpp"
#include "numerics/random.hpp"
#include "support/joint_marginals.hpp"

namespace acuity::joint_pool_belief_test {
namespace {

struct Problem {
  Problem() {
    numerics::Draws draws(95, numerics::Purpose::data, 1);
    pool.resize(40, 2);
    for (double& x : pool.reshaped()) x = draws.uniform(-2.0, 2.0);
    prior.mean = 0.4;
    prior.biases = {LevelBias{.offset_sd = 0.4, .smooth_sd = 0.3, .lengthscale = 1.3},
                    LevelBias{.offset_sd = 0.2}};
    goal = std::make_shared<Goal>(
        Goal{pool.topRows(6).array() + 0.1, Vector::Constant(6, 1.0 / 6.0), Vector::Constant(6, 0.01)});
    for (int i = 0; i < 120; ++i) {
      const Index point = i % 8;
      const int bias = i % 3;
      known.push_back({Place(point), draws.normal(), GaussianChannel{draws.uniform(0.02, 0.3), bias}});
    }
  }

  Points pool;
  Prior prior;
  std::shared_ptr<const Goal> goal;
  std::vector<Observation> known;
};

void expect_same(const Marginals& found, const Marginals& wanted, double tolerance) {
  EXPECT_LE(testing::largest_difference(found, wanted), tolerance);
}

// 120 answers at 8 points and 3 levels: 24 pairs.
TEST(JointPoolBelief, MergesAnswersOfOneLevelAtOnePoint) {
  const Problem p;
  const JointPoolBelief at_once(p.prior, p.pool, p.goal, p.known, {.threads = 1});
  JointPoolBelief one_by_one(p.prior, p.pool, p.goal, {}, {.threads = 1});
  for (const Observation& o : p.known) {
    one_by_one.condition(o.place, o.channel, o.value);
    one_by_one.marginals();
  }
  EXPECT_EQ(at_once.size(), 120);
  EXPECT_LT(at_once.rows(), 60);
  EXPECT_GE(at_once.rows(), 24);
  EXPECT_EQ(one_by_one.rows(), at_once.rows());
  expect_same(one_by_one.marginals(), at_once.marginals(), 1e-10);

  // The textbook: one row per answer.
  Prior no_merging = p.prior;
  const Observations all(p.known, p.pool);
  const GpPosterior posterior(no_merging, all);
  const Marginals& found = at_once.marginals();
  const Marginals wanted = posterior.predict(p.pool), at_goal = posterior.predict(p.goal->points);
  EXPECT_LT((found.mean - wanted.mean).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((found.variance - wanted.variance).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((found.goal->mean() - at_goal.mean).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((found.goal->variance() - at_goal.variance).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(JointPoolBelief, CancelsOneOfTheMergedAnswers) {
  const Problem p;
  JointPoolBelief belief(p.prior, p.pool, p.goal, p.known, {.threads = 1});
  belief.marginals();
  belief.cancel({57});
  std::vector<Observation> rest = p.known;
  rest.erase(rest.begin() + 57);
  expect_same(belief.marginals(), JointPoolBelief(p.prior, p.pool, p.goal, rest, {.threads = 1}).marginals(),
              1e-10);
}

TEST(JointPoolBelief, ThePriorMeanMovesMeansOnly) {
  Problem p;
  JointPoolBelief belief(p.prior, p.pool, p.goal, p.known, {.threads = 1});
  belief.change_prior_mean(-0.7);
  p.prior.mean = -0.7;
  expect_same(belief.marginals(),
              JointPoolBelief(p.prior, p.pool, p.goal, p.known, {.threads = 1}).marginals(), 1e-10);
}

TEST(JointPoolBelief, RefusesWhatDoesNotFit) {
  const Problem p;
  JointPoolBelief belief(p.prior, p.pool, p.goal, p.known, {.threads = 1});
  EXPECT_THROW(belief.condition(3, GaussianChannel{0.1, 3}, 1.0), std::invalid_argument);
  EXPECT_THROW(belief.condition(40, GaussianChannel{0.1, 1}, 1.0), std::invalid_argument);
  EXPECT_THROW(belief.condition(Place(Vector::Zero(3)), GaussianChannel{0.1, 1}, 1.0), std::invalid_argument);
  Goal wrong = *p.goal;
  wrong.points = Points::Zero(6, 3);
  EXPECT_THROW(JointPoolBelief(p.prior, p.pool, std::make_shared<Goal>(wrong)), std::invalid_argument);
  EXPECT_EQ(belief.size(), 120);
}

}  // namespace
}  // namespace acuity::joint_pool_belief_test
