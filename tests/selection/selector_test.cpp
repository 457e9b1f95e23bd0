// The selector against its slow twin, the full scan of an up-to-date belief: same choices, ties included.
#include "acuity/selection/selector.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/selection/full_scan.hpp"
#include "numerics/random.hpp"
#include "support/golden.hpp"
#include "support/problems.hpp"

namespace acuity {
namespace {

struct Setting {
  std::string name;
  Index pool = 150, inputs = 2, steps = 25;
  bool grid = false;            // a regular grid: exact ties everywhere
  bool constant_noise = false;  // the same sigma^2 at every point
  double lengthscale = 0.7, q = 1.0;
  double budget = std::numeric_limits<double>::infinity();
  bool repeat = false;  // chosen points stay open
  PoolStorage storage = {};
  int threads = 1;
  std::function<void(Acquisition&)> acquisition = [](Acquisition&) {};
};

Points pool_of(const Setting& setting) {
  numerics::Draws draws(11, numerics::Purpose::data, 1);
  Points pool(setting.pool, setting.inputs);
  const auto side = static_cast<Index>(std::ceil(std::pow(setting.pool, 1.0 / double(setting.inputs))));
  for (Index i = 0; i < pool.rows(); ++i)
    for (Index k = 0; k < pool.cols(); ++k)
      pool(i, k) = setting.grid ? double(i / Index(std::pow(side, k)) % side) * 0.3 : 4.0 * draws.uniform();
  return pool;
}

Offer offer_of(const Setting& setting, const Points& pool) {
  Offer offer{.levels = testing::ladder(21, setting.q), .base_noise = Vector(pool.rows())};
  for (Index i = 0; i < pool.rows(); ++i)
    offer.base_noise(i) = setting.constant_noise ? 0.01 : 0.01 * (1.0 + pool(i, 0) * pool(i, 0) / 16.0);
  return offer;
}

// A whole run of either, choice by choice.
std::vector<Score> run(const Setting& setting, bool slow) {
  const Points pool = pool_of(setting);
  const Offer offer = offer_of(setting, pool);
  Acquisition acquisition;
  setting.acquisition(acquisition);
  const Prior prior{.kernel = std::make_shared<StationaryKernel>(
                        StationaryKernelOptions{.lengthscale = Vector::Constant(1, setting.lengthscale)})};
  GpPoolBelief belief(prior, pool, {}, setting.threads, slow ? PoolStorage{} : setting.storage);
  Selector selector(offer, acquisition, setting.threads);
  Candidates candidates{.open = std::vector<char>(static_cast<std::size_t>(pool.rows()), 1),
                        .remaining = setting.budget,
                        .slack = 1e-9};
  std::vector<Score> scores;
  for (Index step = 0; step < setting.steps; ++step) {
    const std::optional<Score> best =
        slow ? select_by_full_scan(belief.marginals(), offer, acquisition, candidates)
             : selector.choose(belief, candidates);
    if (!best) break;
    scores.push_back(*best);
    const Channel channel = channel_at(level_of(*best, offer, acquisition), offer.base_noise(best->point));
    belief.condition(best->point, channel, std::sin(double(step)));
    if (!setting.repeat) candidates.open[static_cast<std::size_t>(best->point)] = 0;
    candidates.remaining -= best->cost;
    ++candidates.step;
  }
  return scores;
}

void expect_same_choices(const Setting& setting) {
  SCOPED_TRACE(setting.name);
  const std::vector<Score> fast = run(setting, false), slow = run(setting, true);
  ASSERT_EQ(fast.size(), slow.size());
  ASSERT_GT(slow.size(), 3U);
  // Single precision rounds where the points are, so scores differ a little.
  const double tolerance = setting.storage.single_precision ? 1e-6 : 1e-12;
  for (std::size_t i = 0; i < slow.size(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(fast[i].point, slow[i].point);
    ASSERT_EQ(fast[i].level, slow[i].level);
    EXPECT_EQ(fast[i].precision.has_value(), slow[i].precision.has_value());
    EXPECT_TRUE(testing::close_relative(fast[i].value, slow[i].value, tolerance));
    EXPECT_TRUE(testing::close_relative(fast[i].information, slow[i].information, tolerance));
    EXPECT_EQ(fast[i].cost, slow[i].cost);
  }
}

void target(Acquisition& a, TargetGraph graph) {
  a.information = std::make_shared<TargetInformation>(
      TargetInformationOptions{.graph = graph, .infinite = InfinitePolicy::limit});
}

TEST(Selector, ChoosesWhatTheFullScanChooses) {
  for (const int threads : {1, 3})
    for (const bool constant : {false, true}) {
      const Setting base{.constant_noise = constant, .threads = threads};
      const auto with = [&](const char* name, const auto& change) {
        Setting setting = base;
        setting.name = name;
        change(setting);
        expect_same_choices(setting);
      };
      with("as it comes", [](Setting&) {});
      with("cheap precision", [](Setting& s) { s.q = 0.2; });
      with("a grid full of ties", [](Setting& s) { s.grid = true; });
      with("one input", [](Setting& s) { s.inputs = 1; });
      with("far apart", [](Setting& s) { s.lengthscale = 0.01; });
      with("repeats", [](Setting& s) { s.repeat = true; });
      with("a budget", [](Setting& s) { s.budget = 2.3; });
      with("to the last point", [](Setting& s) { s.pool = 40, s.steps = 60; });
      with("bald",
           [](Setting& s) { s.acquisition = [](Acquisition& a) { a.ranking = Ranking::information; }; });
      with("random", [](Setting& s) { s.acquisition = [](Acquisition& a) { a.ranking = Ranking::random; }; });
      with("target b", [](Setting& s) { s.acquisition = [](Acquisition& a) { target(a, TargetGraph::b); }; });
      with("target b, finite", [](Setting& s) {
        s.budget = 0.95;  // below what the highest precision costs
        s.acquisition = [](Acquisition& a) { target(a, TargetGraph::b); };
      });
      with("target c", [](Setting& s) { s.acquisition = [](Acquisition& a) { target(a, TargetGraph::c); }; });
      with("continuous", [](Setting& s) {
        s.q = 0.8;
        s.acquisition = [](Acquisition& a) {
          a.continuous =
              ContinuousPrecision{.law = {.gamma = 0.09},
                                  .cost = std::make_shared<PowerCost>(PowerCostOptions{.c = 9.0, .q = 0.8})};
        };
      });
    }
}

TEST(Selector, ChoosesTheSameThroughALowRankFactor) {
  for (const double lengthscale : {1.0, 0.3})
    expect_same_choices(
        {.name = "smooth", .pool = 900, .inputs = 1, .steps = 100, .lengthscale = lengthscale});
  expect_same_choices({.name = "smooth grid", .pool = 300, .inputs = 1, .steps = 60, .grid = true});
  expect_same_choices(
      {.name = "smooth, budget", .pool = 300, .inputs = 1, .steps = 90, .q = 0.6, .budget = 9.0});
}

TEST(Selector, NeedsNoMemoryForTheSameChoices) {
  expect_same_choices({.name = "almost none", .pool = 400, .storage = {.memory = 4096}});
  expect_same_choices({.name = "some", .pool = 400, .storage = {.memory = 100'000}, .threads = 3});
}

TEST(Selector, ChoosesTheSameInSinglePrecisionWhereScoresAreApart) {
  expect_same_choices({.name = "single", .pool = 500, .storage = {.single_precision = true}});
  expect_same_choices({.name = "single, ties", .grid = true, .storage = {.single_precision = true}});
}

TEST(Selector, ChoosesTheSameInALargePoolOnAnyNumberOfThreads) {
  Setting setting{.name = "large", .pool = 30'000, .inputs = 3, .steps = 12, .lengthscale = 1.0};
  expect_same_choices(setting);
  setting.threads = 4;
  expect_same_choices(setting);
}

TEST(Selector, NoticesWhenVariancesRiseAndPointsAndMoneyComeBack) {
  const Setting setting{.pool = 200};
  const Points pool = pool_of(setting);
  const Offer offer = offer_of(setting, pool);
  const Acquisition acquisition;
  const Prior prior{.kernel = std::make_shared<StationaryKernel>()};
  GpPoolBelief belief(prior, pool);
  Selector selector(offer, acquisition, 1);
  Candidates candidates{.open = std::vector<char>(200, 1), .remaining = 0.5, .slack = 0.0};
  std::vector<AnnotationHandle> handles;
  numerics::Draws draws(3, numerics::Purpose::data, 2);
  for (int step = 0; step < 60; ++step) {
    const std::optional<Score> fast = selector.choose(belief, candidates);
    const std::optional<Score> slow = select_by_full_scan(belief.marginals(), offer, acquisition, candidates);
    ASSERT_EQ(fast.has_value(), slow.has_value());
    if (fast) {
      ASSERT_EQ(fast->point, slow->point) << step;
      ASSERT_EQ(fast->level, slow->level) << step;
      handles.push_back(belief.condition(fast->point, offer.channel(fast->point, fast->level),
                                         step % 3 == 0 ? std::nullopt : std::optional(draws.normal())));
      candidates.open[static_cast<std::size_t>(fast->point)] = 0;
    }
    if (step % 7 == 3) {
      belief.cancel(handles[handles.size() / 2]);
      handles.erase(handles.begin() + static_cast<std::ptrdiff_t>(handles.size() / 2));
    }
    if (step % 5 == 2) candidates.open[static_cast<std::size_t>(step)] = 1;
    candidates.remaining = step % 4 == 1 ? 0.05 : 0.11 + 0.3 * draws.uniform();
  }
}

TEST(Selector, LeavesLevelsAloneThatAreSold) {
  const Setting setting{.pool = 30};
  const Points pool = pool_of(setting);
  const Offer offer = offer_of(setting, pool);
  const Acquisition acquisition;
  GpPoolBelief belief({.kernel = std::make_shared<StationaryKernel>()}, pool);
  Selector selector(offer, acquisition);
  Candidates candidates;
  for (int step = 0; step < 10; ++step) {
    const std::optional<Score> fast = selector.choose(belief, candidates);
    const std::optional<Score> slow = select_by_full_scan(belief.marginals(), offer, acquisition, candidates);
    ASSERT_TRUE(fast && slow);
    ASSERT_EQ(fast->point, slow->point);
    ASSERT_EQ(fast->level, slow->level);
    candidates.sold.insert({fast->point, fast->level});
  }
}

TEST(Selector, HasNothingToChooseWhereEverythingIsClosedOrTooDear) {
  const Setting setting{.pool = 30};
  const Points pool = pool_of(setting);
  const Offer offer = offer_of(setting, pool);
  const Acquisition acquisition;
  GpPoolBelief belief({.kernel = std::make_shared<StationaryKernel>()}, pool);
  Selector selector(offer, acquisition);
  EXPECT_FALSE(selector.choose(belief, {.open = std::vector<char>(30, 0)}));
  EXPECT_FALSE(selector.choose(belief, {.open = {}, .sold = {}, .remaining = 1e-3}));
  EXPECT_TRUE(selector.choose(belief, {}));
}

}  // namespace
}  // namespace acuity
