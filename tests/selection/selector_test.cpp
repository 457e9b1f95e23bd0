// The selector against its slow twin, the full scan of an up-to-date belief: same choices, ties included.
#include "acuity/selection/selector.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/selection/full_scan.hpp"
#include "model/pool_belief_internals.hpp"
#include "model/screened_pool.hpp"
#include "numerics/random.hpp"
#include "support/golden.hpp"
#include "support/problems.hpp"
#include "support/user_kernels.hpp"

namespace acuity::selector_test {
namespace {

struct Setting {
  std::string name;
  Index pool = 150, inputs = 2, steps = 25;
  bool grid = false;            // a regular grid: exact ties everywhere
  bool constant_noise = false;  // the same sigma^2 at every point
  double lengthscale = 0.7, q = 1.0;
  double budget = std::numeric_limits<double>::infinity();
  bool repeat = false;  // chosen points stay open
  Index known = 0;      // points annotated before
  double base_noise = 0.01;
  double twins = -1.0;  // >= 0: every second point repeats the one before it, this far away
  std::uint64_t seed = 11;
  KernelFamily family = KernelFamily::rbf;
  PoolStorage storage = {};
  int threads = 1;
  std::function<void(Acquisition&)> acquisition = [](Acquisition&) {};
};

Points pool_of(const Setting& setting) {
  numerics::Draws draws(setting.seed, numerics::Purpose::data, 1);
  Points pool(setting.pool, setting.inputs);
  const auto side = static_cast<Index>(std::ceil(std::pow(setting.pool, 1.0 / double(setting.inputs))));
  for (Index i = 0; i < pool.rows(); ++i)
    for (Index k = 0; k < pool.cols(); ++k)
      pool(i, k) = setting.grid ? double(i / Index(std::pow(side, k)) % side) * 0.3 : 4.0 * draws.uniform();
  if (setting.twins >= 0.0)
    for (Index i = 1; i < pool.rows(); i += 2) pool.row(i) = pool.row(i - 1).array() + setting.twins;
  return pool;
}

Offer offer_of(const Setting& setting, const Points& pool) {
  Offer offer{.levels = testing::ladder(21, setting.q), .base_noise = {}};
  Vector noise(pool.rows());
  for (Index i = 0; i < pool.rows(); ++i)
    noise(i) = setting.base_noise * (setting.constant_noise ? 1.0 : 1.0 + pool(i, 0) * pool(i, 0) / 16.0);
  offer.base_noise = noise;
  return offer;
}

struct Run {
  std::vector<Score> scores;
  Index screened = 0;  // choices in single precision
};

// As if nobody had bought it.
void reopen(Candidates& candidates, Index point) {
  if (!candidates.is_open(point)) candidates.give_back(point, std::nullopt, 0.0);
}

// A whole run of either, choice by choice.
Run run(const Setting& setting, bool slow) {
  const Points pool = pool_of(setting);
  const Offer offer = offer_of(setting, pool);
  Acquisition acquisition;
  setting.acquisition(acquisition);
  const Prior prior{.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
                        .family = setting.family, .lengthscale = Vector::Constant(1, setting.lengthscale)})};
  std::vector<Observation> known;
  for (Index i = 0; i < setting.known; ++i)
    known.push_back({.place = i * 101 % setting.pool,
                     .value = std::cos(double(i)),
                     .channel = offer.channel(i * 101 % setting.pool, i % 21)});
  GpPoolBelief belief(prior, pool, known, setting.threads, slow ? PoolStorage{} : setting.storage);
  Selector selector(offer, acquisition, setting.threads);
  Candidates candidates(offer, {.budget = setting.budget, .repeat_points = setting.repeat});
  Run run;
  for (Index step = 0; step < setting.steps; ++step) {
    run.screened +=
        !slow && dynamic_cast<ScreenedPool*>(PoolBeliefInternals::lagging(belief)) != nullptr ? 1 : 0;
    const std::optional<Score> best =
        slow ? select_by_full_scan(belief.marginals(), offer, acquisition, candidates)
             : selector.choose(belief, candidates);
    if (!best) break;
    run.scores.push_back(*best);
    const Channel channel = channel_at(level_of(*best, offer, acquisition), offer.base_noise(best->point));
    belief.condition(best->point, channel, std::sin(double(step)));
    candidates.buy(*best);
  }
  return run;
}

// Says how many choices went through the screen.
void expect_same_choices(const Setting& setting, Index* screened = nullptr) {
  SCOPED_TRACE(setting.name);
  const Run quick = run(setting, false);
  const std::vector<Score>&fast = quick.scores, slow = run(setting, true).scores;
  if (screened != nullptr) *screened = quick.screened;
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

// A pool that is large enough to be screened in single precision.
Setting large(const char* name, Index steps = 12) {
  return {.name = name, .pool = 8200, .inputs = 4, .steps = steps, .lengthscale = 1.0, .known = 40};
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

TEST(Selector, ChoosesWhatTheFullScanChoosesAtAWeightOfPrices) {
  for (const double weight : {0.8, 0.4, 0.03, 0.0})
    for (const int threads : {1, 3})
      for (const bool constant : {false, true}) {
        const Setting base{.constant_noise = constant,
                           .q = 0.8,
                           .threads = threads,
                           .acquisition = [weight](Acquisition& a) { a.price_weight = weight; }};
        const auto with = [&](const char* name, const auto& change) {
          SCOPED_TRACE(weight);
          Setting setting = base;
          setting.name = name;
          change(setting);
          expect_same_choices(setting);
        };
        with("as it comes", [](Setting&) {});
        with("a grid full of ties", [](Setting& s) { s.grid = true; });
        with("repeats", [](Setting& s) { s.repeat = true; });
        with("a budget", [](Setting& s) { s.budget = 3.3; });
        with("to the last point", [](Setting& s) { s.pool = 40, s.steps = 60; });
        with("little memory", [](Setting& s) { s.pool = 400, s.storage.memory = 4096; });
        with("low rank", [](Setting& s) { s.pool = 300, s.inputs = 1, s.steps = 60; });
        with("target c", [weight](Setting& s) {
          s.acquisition = [weight](Acquisition& a) {
            target(a, TargetGraph::c);
            a.price_weight = weight;
          };
        });
      }
}

TEST(Selector, ChoosesTheSameThroughAScreenAtAWeightOfPrices) {
  Index screened = 0;
  for (const double weight : {0.6, 0.1})
    for (const bool grid : {false, true}) {
      Setting setting = large("screened");
      setting.grid = grid;
      setting.acquisition = [weight](Acquisition& a) { a.price_weight = weight; };
      expect_same_choices(setting, &screened);
      EXPECT_GT(screened, 0) << weight;
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

TEST(Selector, ChoosesTheSameThroughAScreenInSinglePrecision) {
  Index screened = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Setting setting = large("seeded");
    setting.seed = seed;
    setting.constant_noise = seed % 2 == 0;
    setting.inputs = 3 + static_cast<Index>(seed % 4);
    setting.family = seed % 3 == 0   ? KernelFamily::matern32
                     : seed % 3 == 1 ? KernelFamily::rbf
                                     : KernelFamily::matern52;
    expect_same_choices(setting, &screened);
    EXPECT_EQ(screened, setting.steps) << seed;
  }
  const auto with = [&](const char* name, const auto& change) {
    Setting setting = large(name);
    change(setting);
    expect_same_choices(setting, &screened);
    EXPECT_GT(screened, 0) << name;
  };
  with("repeats", [](Setting& s) { s.repeat = true; });
  with("a budget", [](Setting& s) { s.budget = 1.3; });
  with("little memory", [](Setting& s) { s.storage.memory = 600'000; });
  with("threads", [](Setting& s) { s.pool = 21'000, s.threads = 4; });
  with("bald", [](Setting& s) { s.acquisition = [](Acquisition& a) { a.ranking = Ranking::information; }; });
  with("random", [](Setting& s) { s.acquisition = [](Acquisition& a) { a.ranking = Ranking::random; }; });
  with("target b", [](Setting& s) {
    s.budget = 0.95;
    s.acquisition = [](Acquisition& a) { target(a, TargetGraph::b); };
  });
  with("target c", [](Setting& s) { s.acquisition = [](Acquisition& a) { target(a, TargetGraph::c); }; });
  with("continuous", [](Setting& s) {
    s.steps = 5;
    s.acquisition = [](Acquisition& a) {
      a.continuous = ContinuousPrecision{
          .law = {.gamma = 0.09}, .cost = std::make_shared<PowerCost>(PowerCostOptions{.c = 9.0, .q = 0.8})};
    };
  });
}

TEST(Selector, DecidesInDoublePrecisionWhatSinglePrecisionCannotTellApart) {
  Index screened = 0;
  for (const double apart : {0.0, 1e-12, 1e-9, 1e-7})  // a float knows seven digits
    for (const bool constant : {false, true}) {
      Setting setting = large("twins", 30);
      setting.twins = apart;
      setting.constant_noise = constant;
      expect_same_choices(setting, &screened);
      EXPECT_GT(screened, 0) << apart;
    }
  Setting grid = large("a grid full of ties", 30);
  grid.grid = true;
  grid.inputs = 2;
  for (const KernelFamily family : {KernelFamily::rbf, KernelFamily::matern52}) {
    grid.family = family;
    expect_same_choices(grid, &screened);
    EXPECT_GT(screened, 0);
  }
}

TEST(Selector, DoesWithoutTheScreenWhereItsErrorIsTooLarge) {
  Index screened = 0;
  Setting setting = large("tiny noise");
  setting.base_noise = 1e-10;
  expect_same_choices(setting, &screened);
  EXPECT_EQ(screened, 0);
  setting.name = "tiny noise, crowded";
  setting.twins = 1e-9;
  expect_same_choices(setting, &screened);
  EXPECT_EQ(screened, 0);
  // So many points are nearly as good as the best that looking at them again costs more than is saved.
  Setting crowded = large("ill-conditioned", 40);
  crowded.inputs = 1;
  crowded.lengthscale = 0.6;
  crowded.base_noise = 1e-5;
  crowded.family = KernelFamily::matern52;
  expect_same_choices(crowded, &screened);
  EXPECT_GT(screened, 0);
  EXPECT_LT(screened, crowded.steps);
}

TEST(Selector, ScreensOnlyForThoseWhoDoNotAskForAllMarginals) {
  const Setting setting = large("");
  const Points pool = pool_of(setting);
  GpPoolBelief belief({.kernel = std::make_shared<StationaryKernel>()}, pool);
  const auto screened_with = [&](Index rows) {
    while (belief.size() < rows) belief.condition(belief.size() * 7, GaussianChannel{0.1}, 0.5);
    return dynamic_cast<ScreenedPool*>(PoolBeliefInternals::lagging(belief)) != nullptr;
  };
  EXPECT_FALSE(screened_with(20)) << "too few covariances";
  EXPECT_TRUE(screened_with(40));
  belief.marginals();
  EXPECT_FALSE(screened_with(41));
  EXPECT_FALSE(screened_with(79));
  EXPECT_TRUE(screened_with(80));
}

TEST(Selector, NoticesBehindTheScreenWhenVariancesRiseAndPointsAndMoneyComeBack) {
  const Setting setting = large("");
  const Points pool = pool_of(setting);
  const Offer offer = offer_of(setting, pool);
  const Acquisition acquisition;
  const Prior prior{.kernel = std::make_shared<StationaryKernel>()};
  GpPoolBelief belief(prior, pool), twin(prior, pool);
  Selector selector(offer, acquisition, 1);
  Candidates candidates(offer, {.budget = 0.5});
  std::vector<AnnotationHandle> handles;
  const auto both = [&](Index point, const Channel& channel, std::optional<double> answer) {
    handles.push_back(belief.condition(point, channel, answer));
    ASSERT_EQ(twin.condition(point, channel, answer), handles.back());
  };
  for (Index i = 0; i < 40; ++i)
    both(i * 200, GaussianChannel{0.05}, i % 4 == 0 ? std::nullopt : std::optional(0.1));
  numerics::Draws draws(3, numerics::Purpose::data, 2);
  Index screened = 0;
  for (int step = 0; step < 40; ++step) {
    screened += dynamic_cast<ScreenedPool*>(PoolBeliefInternals::lagging(belief)) != nullptr ? 1 : 0;
    const std::optional<Score> fast = selector.choose(belief, candidates);
    const std::optional<Score> slow = select_by_full_scan(twin.marginals(), offer, acquisition, candidates);
    ASSERT_EQ(fast.has_value(), slow.has_value());
    if (fast) {
      ASSERT_EQ(fast->point, slow->point) << step;
      ASSERT_EQ(fast->level, slow->level) << step;
      EXPECT_EQ(fast->value, slow->value) << step;
      both(fast->point, offer.channel(fast->point, fast->level),
           step % 3 == 0 ? std::nullopt : std::optional(draws.normal()));
      candidates.buy(*fast);
    }
    if (step % 7 == 3) {
      const auto cancelled = handles.end() - (step % 2 == 0 ? 1 : 5);
      belief.cancel(*cancelled);
      twin.cancel(*cancelled);
      handles.erase(cancelled);
    }
    if (step < 10) belief.answer(handles[static_cast<std::size_t>(4 * step)], 0.7);
    if (step < 10) twin.answer(handles[static_cast<std::size_t>(4 * step)], 0.7);
    if (step % 5 == 2) reopen(candidates, fast ? fast->point : step);
    candidates.set_money(step % 4 == 1 ? 0.05 : 0.11 + 0.3 * draws.uniform(), 0.5);
  }
  EXPECT_EQ(screened, 40);
}

TEST(Selector, NoticesWhenVariancesRiseAndPointsAndMoneyComeBack) {
  const Setting setting{.pool = 200};
  const Points pool = pool_of(setting);
  const Offer offer = offer_of(setting, pool);
  const Acquisition acquisition;
  const Prior prior{.kernel = std::make_shared<StationaryKernel>()};
  GpPoolBelief belief(prior, pool);
  Selector selector(offer, acquisition, 1);
  Candidates candidates(offer, {.budget = 0.5});
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
      candidates.buy(*fast);
    }
    if (step % 7 == 3) {
      belief.cancel(handles[handles.size() / 2]);
      handles.erase(handles.begin() + static_cast<std::ptrdiff_t>(handles.size() / 2));
    }
    if (step % 5 == 2) reopen(candidates, step);
    candidates.set_money(step % 4 == 1 ? 0.05 : 0.11 + 0.3 * draws.uniform(), 0.5);
  }
}

TEST(Selector, LeavesLevelsAloneThatAreClosed) {
  const Setting setting{.pool = 30};
  const Points pool = pool_of(setting);
  const Offer offer = offer_of(setting, pool);
  const Acquisition acquisition;
  GpPoolBelief belief({.kernel = std::make_shared<StationaryKernel>()}, pool);
  Selector selector(offer, acquisition);
  Candidates candidates(offer);
  for (int step = 0; step < 10; ++step) {
    const std::optional<Score> fast = selector.choose(belief, candidates);
    const std::optional<Score> slow = select_by_full_scan(belief.marginals(), offer, acquisition, candidates);
    ASSERT_TRUE(fast && slow);
    ASSERT_EQ(fast->point, slow->point);
    ASSERT_EQ(fast->level, slow->level);
    candidates.exclude(fast->point, fast->level);
  }
}

TEST(Selector, HasNothingToChooseWhereEverythingIsClosedOrTooDear) {
  const Setting setting{.pool = 30};
  const Points pool = pool_of(setting);
  const Offer offer = offer_of(setting, pool);
  const Acquisition acquisition;
  GpPoolBelief belief({.kernel = std::make_shared<StationaryKernel>()}, pool);
  Selector selector(offer, acquisition);
  Candidates closed(offer);
  for (Index i = 0; i < 30; ++i) closed.close(i);
  EXPECT_FALSE(selector.choose(belief, closed));
  EXPECT_FALSE(selector.choose(belief, Candidates(offer, {.budget = 1e-3})));
  EXPECT_TRUE(selector.choose(belief, Candidates(offer)));
}

struct ClassSetting {
  std::string name;
  Index pool = 510, inputs = 2, steps = 60;
  bool grid = false;
  double lengthscale = 2.0, amplitude = 1.0, kappa = 0.7, q = 1.0;
  bool repeat = false, one_class_per_point = false;
  int threads = 1;
  Acquisition acquisition{.information = std::make_shared<ClassModelInformation>()};
};

// Labels that are often wrong, so that many sites are negative. The slow twin never looks roughly.
void expect_same_class_choices(const ClassSetting& setting, bool looks_roughly) {
  SCOPED_TRACE(setting.name);
  const Points pool = pool_of({.pool = setting.pool, .inputs = setting.inputs, .grid = setting.grid});
  Offer offer{.levels = {}, .base_noise = Vector::Zero(pool.rows())};
  for (const double alpha : {0.0, 0.3, 0.6, 1.0})
    offer.levels.push_back({.alpha = alpha,
                            .channel = FlipChannel{setting.kappa + (1.0 - setting.kappa) * alpha},
                            .cost = 0.1 + 0.9 * std::pow(alpha, setting.q)});
  const Prior prior{
      .kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
          .amplitude = setting.amplitude, .lengthscale = Vector::Constant(1, setting.lengthscale)})};
  constexpr Index kept = Index{1} << 25, most = 100'000'000;
  EpPoolBelief fast(prior, pool, {}, setting.threads, kept, nullptr, most, 0, setting.one_class_per_point),
      slow(prior, pool, {}, 0, kept, nullptr, most, 0, setting.one_class_per_point);
  Selector selector(offer, setting.acquisition, setting.threads);
  Candidates candidates(offer, {.repeat_points = setting.repeat});
  numerics::Draws draws(19, numerics::Purpose::data, 0);
  int rough_looks = 0;
  bool any_negative = false;
  for (Index step = 0; step < setting.steps; ++step) {
    SCOPED_TRACE(step);
    const std::optional<Score> found = selector.choose(fast, candidates),
                               expected = select_by_full_scan(slow.marginals(), offer, setting.acquisition,
                                                              candidates);
    rough_looks += PoolBeliefInternals::rough_marginals(fast) != nullptr;
    ASSERT_TRUE(found && expected);
    ASSERT_EQ(found->point, expected->point);
    ASSERT_EQ(found->level, expected->level);
    EXPECT_EQ(found->information, expected->information);
    EXPECT_EQ(found->value, expected->value);
    const Channel channel = offer.channel(found->point, found->level);
    const double answer = draws.uniform() < 0.5 ? -1.0 : 1.0;
    fast.condition(found->point, channel, answer);
    slow.condition(found->point, channel, answer);
    any_negative = any_negative || slow.posterior().sites().precision.minCoeff() < 0.0;
    candidates.buy(*found);
  }
  EXPECT_EQ(rough_looks > 10, looks_roughly);
  // The finest level is never wrong, and "bald" takes no other.
  if (looks_roughly && setting.acquisition.ranking != Ranking::information) {
    EXPECT_TRUE(any_negative);
  }
}

TEST(Selector, ChoosesWhatTheFullScanChoosesInClassification) {
  for (const int threads : {1, 3}) {
    const ClassSetting base{.threads = threads};
    const auto with = [&](const char* name, bool looks_roughly, const auto& change) {
      ClassSetting setting = base;
      setting.name = name;
      change(setting);
      expect_same_class_choices(setting, looks_roughly);
    };
    with("as it comes", true, [](ClassSetting&) {});
    if (threads > 1) continue;
    with("one input", true, [](ClassSetting& s) { s.inputs = 1; });
    with("a grid full of ties", true, [](ClassSetting& s) { s.grid = true, s.lengthscale = 4.0; });
    with("repeats", true, [](ClassSetting& s) { s.repeat = true; });
    with("repeats that are about one class", true,
         [](ClassSetting& s) { s.repeat = s.one_class_per_point = true; });
    with("large amplitude", true, [](ClassSetting& s) { s.amplitude = 4.0; });
    with("dear precision", true, [](ClassSetting& s) { s.q = 0.3; });
    with("bald", true, [](ClassSetting& s) { s.acquisition.ranking = Ranking::information, s.kappa = 0.5; });
    with("high rank", false, [](ClassSetting& s) { s.inputs = 5, s.steps = 40; });
    with("small pool", false, [](ClassSetting& s) { s.pool = 100; });
  }
}

// The low-rank pool has to start from each point's own prior variance.
TEST(Selector, ChoosesAsTheFullScanWithAKernelWhosePriorVarianceDiffers) {
  Points pool(300, 1);
  for (Index i = 0; i < 300; ++i) pool(i, 0) = double(299 - i) / 60.0;
  const Offer offer{.levels = {{.channel = GaussianChannel{0.5}, .cost = 1.0},
                               {.channel = GaussianChannel{0.05}, .cost = 3.0}},
                    .base_noise = Vector::Constant(300, 0.01)};
  const Acquisition acquisition;
  const Prior prior{.kernel = std::make_shared<testing::LinearKernel>()};
  GpPoolBelief belief(prior, pool), twin(prior, pool);
  Selector selector(offer, acquisition, 1);
  Candidates candidates(offer);
  for (int step = 0; step < 40; ++step) {
    const std::optional<Score> fast = selector.choose(belief, candidates),
                               slow = select_by_full_scan(twin.marginals(), offer, acquisition, candidates);
    ASSERT_TRUE(fast && slow);
    ASSERT_EQ(fast->point, slow->point) << step;
    ASSERT_EQ(fast->level, slow->level) << step;
    for (GpPoolBelief* each : {&belief, &twin})
      each->condition(fast->point, offer.channel(fast->point, fast->level), std::sin(step));
    candidates.buy(*fast);
  }
}

}  // namespace
}  // namespace acuity::selector_test
