#include "model/low_rank_belief.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/selection/selector.hpp"
#include "model/low_rank_features.hpp"
#include "numerics/random.hpp"

namespace acuity::low_rank_belief_test {
namespace {

Points line(Index count, std::uint32_t number) {
  numerics::Draws draws(7, numerics::Purpose::data, number);
  Points x(count, 1);
  for (double& value : x.reshaped()) value = draws.uniform(0.0, 5.0);
  return x;
}

Prior prior_with(double lengthscale, double mean = 0.0) {
  Prior prior;
  prior.kernel = std::make_shared<StationaryKernel>(
      StationaryKernelOptions{.amplitude = 1.5, .lengthscale = Vector::Constant(1, lengthscale)});
  prior.mean = mean;
  return prior;
}

void expect_equal(const Marginals& a, const Marginals& b) {
  EXPECT_LT((a.mean - b.mean).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((a.variance - b.variance).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(LowRankFeatures, GiveBackTheCovariances) {
  const Points x = line(300, 0);
  const Prior prior = prior_with(0.6);
  const std::optional<Matrix> f = low_rank_features(prior.kernel, x, 100);
  ASSERT_TRUE(f);
  EXPECT_LT(f->rows(), 60);
  EXPECT_LT((f->transpose() * *f - prior.kernel->cross(x, x)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(LowRankFeatures, AreRefusedWhereTooManyAreNeeded) {
  EXPECT_FALSE(low_rank_features(prior_with(0.01).kernel, line(300, 0), 100));
  EXPECT_FALSE(LowRankBelief::make(prior_with(0.01), line(3000, 0), 100));
}

TEST(LowRankBelief, EqualsTheBeliefWithAFactorOfAllAnnotations) {
  for (std::uint32_t number = 0; number < 20; ++number) {
    const Points pool = line(500, number);
    const Prior prior = prior_with(0.3 + 0.1 * number, 0.4);
    numerics::Draws draws(11, numerics::Purpose::answer, number);
    const auto fast = LowRankBelief::make(prior, pool, 200);
    ASSERT_TRUE(fast);
    GpPoolBelief slow(prior, pool, {}, 1);
    for (int i = 0; i < 60; ++i) {
      const Index row = draws.below(500);
      const GaussianChannel channel{draws.uniform(0.01, 0.2)};
      const double y = draws.normal();
      fast->condition(row, channel, y);
      slow.condition(row, channel, y);
    }
    expect_equal(fast->marginals(), slow.marginals());
    EXPECT_LT((fast->mean_at(100, 50) - slow.marginals().mean.segment(100, 50)).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST(LowRankBelief, KnowsPendingAnnotationsAndTakesThemBack) {
  const Points pool = line(400, 3);
  const Prior prior = prior_with(0.7, -1.0);
  const auto fast = LowRankBelief::make(prior, pool, 200);
  ASSERT_TRUE(fast);
  GpPoolBelief slow(prior, pool, {}, 1);
  const GaussianChannel channel{0.05};
  for (PoolBelief* belief : {static_cast<PoolBelief*>(fast.get()), static_cast<PoolBelief*>(&slow)}) {
    const auto first = belief->condition(7, channel, 0.3);
    const auto second = belief->condition(90, channel, std::nullopt);
    belief->condition(200, channel, std::nullopt);
    belief->condition(300, channel, 1.1);
    belief->answer(second, -0.4);
    belief->cancel(first);
  }
  EXPECT_EQ(fast->size(), 3);
  expect_equal(fast->marginals(), slow.marginals());
  EXPECT_THROW(fast->cancel({0}), std::invalid_argument);
  EXPECT_THROW(fast->answer({1}, 2.0), std::invalid_argument) << "answered already";
  EXPECT_THROW(fast->condition(Place(Vector::Zero(1)), channel, 1.0), std::invalid_argument);
  EXPECT_THROW(fast->condition(1, GaussianChannel{0.0}, 1.0), std::invalid_argument);
}

TEST(LowRankBelief, IsChosenFromAsByTheFullScan) {
  const Points pool = line(700, 5);
  const auto belief = LowRankBelief::make(prior_with(0.8), pool, 200);
  ASSERT_TRUE(belief);
  Offer offer{.levels = {}, .base_noise = 0.01 * (1.0 + pool.col(0).array().square() / 25.0)};
  for (const double inverse : {1.0, 0.6, 0.3, 0.0})
    offer.levels.push_back({.alpha = 1.0 / inverse,
                            .channel = GaussianChannel{0.09 * inverse},
                            .cost = 1.0 / (1.0 + 9.0 * inverse)});
  const Acquisition acquisition;
  Selector selector(offer, acquisition, 1);
  Candidates candidates(offer);
  numerics::Draws draws(3, numerics::Purpose::answer);
  for (int step = 0; step < 150; ++step) {
    const std::optional<Score> fast = selector.choose(*belief, candidates);
    const std::optional<Score> slow =
        select_by_full_scan(belief->marginals(), offer, acquisition, candidates);
    ASSERT_TRUE(fast && slow);
    ASSERT_EQ(fast->point, slow->point) << step;
    ASSERT_EQ(fast->level, slow->level) << step;
    belief->condition(fast->point, offer.channel(fast->point, fast->level), draws.normal());
    candidates.buy(*fast);
  }
}

}  // namespace
}  // namespace acuity::low_rank_belief_test
