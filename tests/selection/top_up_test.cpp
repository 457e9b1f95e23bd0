// Runs to continue beside new ones: the search against the scan of everything, and the arithmetic.
#include <gtest/gtest.h>

#include <cmath>

#include "acuity/data/top_up.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/selection/plan.hpp"
#include "acuity/selection/selector.hpp"
#include "numerics/random.hpp"

namespace acuity::top_up_test {
namespace {

Prior smooth() {
  return {.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
              .family = KernelFamily::matern52, .amplitude = 1.0, .lengthscale = Vector::Ones(1)})};
}

struct Shop {
  Points pool;
  Offer offer;
  explicit Shop(std::uint64_t seed, Index size = 60) : pool(size, 2) {
    numerics::Draws draws(seed, numerics::Purpose::data);
    for (Index i = 0; i < size; ++i) pool.row(i) << draws.uniform(0.0, 4.0), draws.uniform(0.0, 4.0);
    offer.base_noise = Vector::Constant(size, 0.01);
    for (const double samples : {1.0, 3.0, 10.0, 40.0})
      offer.levels.push_back({.name = std::to_string(samples),
                              .channel = GaussianChannel{0.5 / samples},
                              .cost = 0.5 + samples,
                              .tops_up = samples > 1.0,
                              .value = {}});
  }
};

// With the old answer and an independent one in its place the posterior is that of the new answer alone.
TEST(TopUp, AnIndependentAnswerTellsTheDifference) {
  const Shop shop(1);
  for (const double before : {2.0, 0.3}) {
    const double after = 0.1, old_value = 0.4, value = -0.7;
    GpPoolBelief replaced(smooth(), shop.pool, {}), continued(smooth(), shop.pool, {});
    for (GpPoolBelief* one : {&replaced, &continued}) one->condition(5, GaussianChannel{0.2}, 1.0);
    replaced.condition(7, GaussianChannel{after}, value);
    continued.condition(7, GaussianChannel{before}, old_value);
    continued.condition(7, GaussianChannel{noise_of_continuation(before, after)},
                        value_of_continuation(before, old_value, after, value));
    EXPECT_LT((replaced.marginals().mean - continued.marginals().mean).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((replaced.marginals().variance - continued.marginals().variance).cwiseAbs().maxCoeff(), 1e-12);
  }
  EXPECT_EQ(noise_of_continuation(0.3, 0.0), 0.0);
  EXPECT_EQ(value_of_continuation(0.3, 1.0, 0.0, 2.0), 2.0);
  EXPECT_TRUE(std::isinf(noise_of_continuation(0.3, 0.3)));
  EXPECT_TRUE(std::isinf(noise_of_continuation(0.3, 0.4)));
}

TEST(TopUp, SelectorChoosesAsTheScanOfEverything) {
  int continued = 0, new_runs = 0;
  for (const double weight : {1.0, 0.4, 0.1, 0.0})
    for (const bool repeat : {false, true}) {
      const Shop shop(static_cast<std::uint64_t>(100.0 * weight) + repeat, 40);
      Acquisition acquisition;
      acquisition.price_weight = weight;
      GpPoolBelief belief(smooth(), shop.pool, {}), twin(smooth(), shop.pool, {});
      Candidates candidates(shop.offer, {.budget = 400.0, .repeat_points = repeat});
      Selector selector(shop.offer, acquisition, 2);
      for (std::int64_t step = 1; step < 120; ++step) {
        SCOPED_TRACE(std::to_string(weight) + " at step " + std::to_string(step));
        const auto fast = selector.choose(belief, candidates);
        const auto slow = select_by_full_scan(twin.marginals(), shop.offer, acquisition, candidates);
        ASSERT_EQ(fast.has_value(), slow.has_value());
        if (!fast) break;
        EXPECT_EQ(fast->point, slow->point);
        EXPECT_EQ(fast->level, slow->level);
        ASSERT_EQ(fast->top_up.has_value(), slow->top_up.has_value());
        if (fast->top_up) {
          EXPECT_EQ(fast->top_up->from, slow->top_up->from);
        }
        EXPECT_NEAR(fast->value, slow->value, 1e-9);
        (fast->top_up ? continued : new_runs) += 1;
        for (PoolBelief* one : {static_cast<PoolBelief*>(&belief), static_cast<PoolBelief*>(&twin)})
          one->condition(fast->point, added_channel(*fast, shop.offer, acquisition), std::nullopt);
        candidates.buy(*fast);
        candidates.top_ups().add(
            {.id = step,
             .point = fast->point,
             .level = fast->level,
             .noise_variance = noise_variance(shop.offer.channel(fast->point, fast->level))},
            shop.offer);
      }
    }
  EXPECT_GT(continued, 20);
  EXPECT_GT(new_runs, 100);
}

TEST(TopUp, OffersWhatIsFinerAndDearer) {
  const Shop shop(2);
  TopUps top_ups;
  top_ups.add({.id = 9, .point = 3, .level = 1, .noise_variance = 0.01 + 0.5 / 3.0}, shop.offer);
  ASSERT_EQ(top_ups.all().size(), 2U);
  EXPECT_EQ(top_ups.all()[0].level, 2);
  EXPECT_EQ(top_ups.all()[0].cost, 7.0);
  EXPECT_EQ(top_ups.all()[1].cost, 37.0);
  EXPECT_NEAR(1.0 / top_ups.all()[0].noise_variance, 1.0 / (0.01 + 0.05) - 1.0 / (0.01 + 0.5 / 3.0), 1e-12);
  top_ups.exclude(3, 3);
  EXPECT_EQ(top_ups.all().size(), 1U);
  top_ups.remove(9);
  EXPECT_TRUE(top_ups.empty());
  top_ups.add({.id = 10, .point = 3, .level = 1, .noise_variance = 0.02}, shop.offer);
  EXPECT_TRUE(top_ups.empty()) << "it reported less noise than the next level has, and the last is excluded";
}

// A plan counts the runs that could be continued, now and later.
TEST(TopUp, PlansIncludeThem) {
  Shop shop(3, 25), without = shop;
  for (Level& level : without.offer.levels) level.tops_up = false;
  GpPoolBelief belief(smooth(), shop.pool, {});
  const Candidates candidates(shop.offer, {.budget = 300.0});
  const BudgetPlan with = plan_budget(belief, shop.offer, {}, candidates, {.threads = 1});
  const BudgetPlan plain = plan_budget(belief, without.offer, {}, candidates, {.threads = 1});
  EXPECT_GT(with.courses.front().expected, plain.courses.front().expected);
  EXPECT_EQ(belief.size(), 0);
}

}  // namespace
}  // namespace acuity::top_up_test
