#include "acuity/selection/full_scan.hpp"

#include <gtest/gtest.h>

#include <set>

#include "acuity/acquisition/cost_function.hpp"
#include "acuity/base/errors.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/selection/suggestion.hpp"
#include "support/golden.hpp"
#include "support/problems.hpp"

namespace acuity::full_scan_test {
namespace {

using testing::close;
using testing::close_relative;
using testing::golden;

Acquisition acquisition(const std::string& name) {
  Acquisition a;
  if (name == "bald") a.ranking = Ranking::information;
  if (name == "mi_y_b" || name == "mi_y_c")
    a.information = std::make_shared<TargetInformation>(
        TargetInformationOptions{.graph = name == "mi_y_b" ? TargetGraph::b : TargetGraph::c});
  return a;
}

TEST(FullScan, FollowsTheGoldenTracesStepByStep) {
  const auto& g = golden("greedy_regression");
  const Points pool = testing::points(g.at("X_pool")), initial = testing::points(g.at("X_init"));
  const double gamma = g.at("gamma");
  const Prior prior{.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
                        .amplitude = g.at("a"), .lengthscale = Vector::Constant(1, g.at("l"))})};
  int steps = 0;
  for (const auto& trace : g.at("traces")) {
    SCOPED_TRACE(trace.at("acquisition").get<std::string>() + " " + trace.at("cost").dump());
    const PowerCost cost({.c = trace.at("cost").at("c"), .q = trace.at("cost").at("q")});
    Offer offer{.levels = {}, .base_noise = testing::vector(g.at("n0_pool"))};
    for (const double beta : testing::vector(g.at(trace.at("betas_key").get<std::string>())))
      offer.levels.push_back(
          {.alpha = 1.0 / beta, .channel = GaussianChannel{gamma * beta}, .cost = cost(1.0 / beta)});
    const auto& answers = g.at(trace.at("y_table_key").get<std::string>());

    std::vector<Observation> known;
    for (Index i = 0; i < initial.rows(); ++i)
      known.push_back({.place = Place(initial.row(i).transpose()),
                       .value = g.at("y_init")[static_cast<std::size_t>(i)],
                       .channel = GaussianChannel{testing::vector(g.at("n0_init"))(i)}});
    GpPoolBelief belief(prior, pool, known);
    const double budget = trace.at("budget");
    Candidates candidates(offer, {.budget = budget});
    const Acquisition choice = acquisition(trace.at("acquisition"));
    for (const auto& step : trace.at("steps")) {
      const std::optional<Score> best = select_by_full_scan(belief.marginals(), offer, choice, candidates);
      ASSERT_TRUE(best);
      ASSERT_EQ(best->point, step.at("index").get<Index>());
      ASSERT_EQ(best->level, step.at("level").get<Index>());
      EXPECT_TRUE(close_relative(best->value, step.at("objective"), 1e-10));
      EXPECT_TRUE(close_relative(best->information, step.at("mi"), 1e-10));
      EXPECT_TRUE(close_relative(best->cost, step.at("cost"), 1e-12));
      EXPECT_TRUE(close(belief.marginals().variance(best->point), step.at("var_before"), 1e-10));
      const double answer =
          answers[static_cast<std::size_t>(best->point)][static_cast<std::size_t>(best->level)];
      EXPECT_EQ(answer, step.at("label").get<double>());
      belief.condition(best->point, offer.channel(best->point, best->level), answer);
      known.push_back(
          {.place = best->point, .value = answer, .channel = offer.channel(best->point, best->level)});
      candidates.buy(*best);
      EXPECT_TRUE(close(candidates.remaining(), step.at("remaining"), 1e-10));
      ++steps;
    }
    if (static_cast<int>(trace.at("steps").size()) < trace.at("max_steps").get<int>()) {
      EXPECT_FALSE(select_by_full_scan(belief.marginals(), offer, choice, candidates))
          << "the budget rule ends the run";
    }
    const Points test = testing::points(g.at("X_test"));
    const Marginals end = GpPosterior(prior, Observations(known, pool)).predict(test);
    for (Index i = 0; i < test.rows(); ++i) {
      EXPECT_TRUE(close(end.mean(i), trace.at("final_test").at("mean")[static_cast<std::size_t>(i)], 1e-10));
      EXPECT_TRUE(
          close(end.variance(i), trace.at("final_test").at("var")[static_cast<std::size_t>(i)], 1e-10));
    }
  }
  EXPECT_EQ(steps, 111);
}

// A belief made by hand: what is chosen depends on nothing else.
struct Bench {
  Marginals belief;
  Offer offer;
  Acquisition acquisition;
  Candidates candidates;

  explicit Bench(std::vector<double> variances, std::vector<Level> levels = testing::ladder(11, 0.8))
      : belief{Vector::Zero(static_cast<Index>(variances.size())),
               Eigen::Map<Vector>(variances.data(), static_cast<Index>(variances.size()))},
        offer{std::move(levels), Vector::Constant(belief.mean.size(), 0.01)},
        candidates(offer) {}

  std::optional<Score> select() const { return select_by_full_scan(belief, offer, acquisition, candidates); }
  std::vector<Score> scores() const { return score_pool(belief, offer, acquisition, candidates); }
};

// The slow twin of the scan itself: every pair in one list, the rule of math.md 5.2 spelled out.
std::optional<Score> by_listing(const Bench& bench) {
  std::vector<Score> all;
  for (Index i = 0; i < bench.belief.variance.size(); ++i)
    for (Index k = 0; k < static_cast<Index>(bench.offer.levels.size()); ++k) {
      Score s{.point = i, .level = k, .cost = bench.offer.levels[static_cast<std::size_t>(k)].cost};
      bench.acquisition.information->worth(bench.belief, bench.offer, i, i + 1, std::span(&s.level, 1),
                                           &s.information);
      s.value = s.information / s.cost;
      if (bench.candidates.is_open(i, k) && bench.candidates.affordable(s.cost)) all.push_back(s);
    }
  double best = 0.0;
  for (const Score& s : all) best = std::max(best, s.value);
  std::optional<Score> chosen;
  for (const Score& s : all)
    if (s.value >= best * (1 - 1e-9) && (!chosen || (s.point == chosen->point && s.cost < chosen->cost)))
      chosen = s;
  return chosen;
}

TEST(FullScan, EqualsListingEveryPair) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const testing::Problem problem =
        testing::make_problem({.pool = 200, .observations = 1 + static_cast<Index>(seed), .seed = seed});
    Bench bench({0.0}, testing::ladder(17, 0.1 * static_cast<double>(seed)));
    bench.belief = GpPoolBelief(problem.prior, problem.pool, problem.observations).marginals();
    bench.offer.base_noise = 0.01 * (1.0 + problem.pool.col(0).array().square());
    if (seed % 2 == 0) bench.acquisition.information = std::make_shared<TargetInformation>();
    bench.candidates = Candidates(bench.offer);
    if (seed % 3 == 0) bench.candidates.set_money(0.5, 0.5);
    if (seed % 5 == 0) bench.candidates.close(7);
    const std::optional<Score> slow = by_listing(bench), fast = bench.select();
    ASSERT_EQ(fast.has_value(), slow.has_value());
    if (!slow) continue;
    EXPECT_EQ(fast->point, slow->point);
    EXPECT_EQ(fast->level, slow->level);
    EXPECT_EQ(fast->value, slow->value);
  }
}

TEST(FullScan, TiedPointsGoToTheLowestRow) {
  EXPECT_EQ(Bench({0.1, 0.5, 0.5, 0.2}).select()->point, 1);
  EXPECT_EQ(Bench({0.1, 0.5 * (1 - 1e-10), 0.5, 0.2}).select()->point, 1);
  EXPECT_EQ(Bench({0.1, 0.5 * (1 - 1e-7), 0.5, 0.2}).select()->point, 2);
}

TEST(FullScan, TiedLevelsGoToTheCheaper) {
  // Twice the information at twice the price, the dear one listed first.
  Bench bench({1.0}, {{.name = "dear", .channel = GaussianChannel{1.0 / 3.0 - 0.01}, .cost = 2.0},
                      {.name = "cheap", .channel = GaussianChannel{1.0 - 0.01}, .cost = 1.0}});
  EXPECT_EQ(bench.select()->level, 1);
  EXPECT_EQ(bench.scores()[0].level, 1);
  bench.offer.levels[0].cost = 2.0 * (1 - 1e-6);
  EXPECT_EQ(bench.select()->level, 0);
}

TEST(FullScan, OnlyAffordableLevelsCompete) {
  Bench bench({1.0, 0.5}, {{.name = "dear", .channel = GaussianChannel{0.0}, .cost = 1.0},
                           {.name = "cheap", .channel = GaussianChannel{90.0}, .cost = 0.5}});
  EXPECT_EQ(bench.select()->level, 0);
  bench.candidates.set_money(1.0 - 1e-12, 1.0);
  EXPECT_EQ(bench.select()->level, 0) << "the slack absorbs rounding";
  bench.candidates.set_money(0.9, 1.0);
  EXPECT_EQ(bench.select()->level, 1);
  bench.candidates.set_money(0.4, 1.0);
  EXPECT_FALSE(bench.select());
  EXPECT_TRUE(bench.scores().empty());
}

TEST(FullScan, BaldTakesTheHighestPrecisionOrNothing) {
  Bench bench({0.5, 1.0}, testing::ladder(5, 2.0));
  bench.acquisition.ranking = Ranking::information;
  const Score best = *bench.select();
  EXPECT_EQ(best.point, 1);
  EXPECT_EQ(best.level, 0);
  EXPECT_EQ(best.value, best.information);
  bench.candidates.set_money(0.99, 1.0);
  EXPECT_FALSE(bench.select());
}

TEST(FullScan, ClosedPointsAndLevelsAreNoCandidates) {
  Bench bench({0.5, 1.0}, testing::ladder(2, 1.0));
  bench.candidates.close(1);
  EXPECT_EQ(bench.select()->point, 0);
  EXPECT_EQ(bench.scores().size(), 1U);
  bench.candidates = Candidates(bench.offer);
  const Score best = *bench.select();
  bench.candidates.exclude(1, best.level);
  EXPECT_NE(std::pair(bench.select()->point, bench.select()->level), std::pair(Index{1}, best.level));
  for (const Index level : {0, 1}) bench.candidates.exclude(0, level), bench.candidates.exclude(1, level);
  EXPECT_FALSE(bench.select());
}

TEST(FullScan, InfiniteInformationIsRankedAsTold) {
  Bench bench({0.1, 0.5, 0.5}, testing::ladder(3, 1.0));
  bench.acquisition.information = std::make_shared<TargetInformation>(
      TargetInformationOptions{.graph = TargetGraph::b, .infinite = InfinitePolicy::limit});
  EXPECT_EQ(bench.select()->point, 1);
  EXPECT_EQ(bench.select()->level, 0);
  bench.acquisition.information = std::make_shared<TargetInformation>(
      TargetInformationOptions{.graph = TargetGraph::b, .infinite = InfinitePolicy::first});
  EXPECT_EQ(bench.select()->point, 0);
}

TEST(FullScan, RandomChoiceFollowsFromSeedAndStep) {
  Bench bench(std::vector<double>(50, 0.3));
  bench.acquisition.ranking = Ranking::random;
  std::set<Index> drawn;
  for (std::uint64_t step = 0; step < 200; ++step) {
    bench.candidates = Candidates(bench.offer, {.step = step});
    EXPECT_EQ(bench.select()->point, bench.select()->point);
    EXPECT_EQ(bench.select()->level, 0);
    drawn.insert(bench.select()->point);
  }
  EXPECT_GT(drawn.size(), 40U);
  // Closing points that were not drawn changes nothing: every point has its own key.
  const Index first = bench.select()->point;
  for (Index i = 0; i < 50; i += 2)
    if (i != first) bench.candidates.close(i);
  EXPECT_EQ(bench.select()->point, first);
}

TEST(FullScan, ContinuousPrecisionBeatsEveryLadderAndAFineOneComesClose) {
  for (const double q : {0.3, 0.5, 0.8, 1.0, 2.0}) {
    Bench ladder({0.02, 0.3, 1.0, 0.1}, testing::ladder(2000, q)), any = ladder;
    any.acquisition.continuous = ContinuousPrecision{
        .law = {.gamma = 0.09}, .cost = std::make_shared<PowerCost>(PowerCostOptions{.c = 9.0, .q = q})};
    for (const double remaining : {10.0, 0.5}) {
      ladder.candidates.set_money(remaining, 0.0);  // without slack
      any.candidates.set_money(remaining, 0.0);
      const std::optional<Score> level = ladder.select(), exact = any.select();
      ASSERT_EQ(level.has_value(), exact.has_value()) << q;
      if (!level) continue;
      EXPECT_EQ(exact->point, level->point);
      EXPECT_GE(exact->value, level->value * (1 - 1e-12));
      EXPECT_LE(exact->value, level->value * (1 + 1e-4));
      EXPECT_LE(exact->cost, remaining);
      const Level made = level_of(*exact, any.offer, any.acquisition);
      EXPECT_NEAR(noise_variance(made.channel), 0.09 / *made.alpha, 1e-16);
      EXPECT_EQ(any.scores().size(), 4U);
    }
    any.candidates.set_money(1e-6, 0.0);
    EXPECT_FALSE(any.select());
  }
}

void expect_equal(const Score& one, const Score& other) {
  EXPECT_EQ(one.point, other.point);
  EXPECT_EQ(one.level, other.level);
  EXPECT_EQ(one.information, other.information);
  EXPECT_EQ(one.value, other.value);
  EXPECT_EQ(one.order, other.order);
  EXPECT_EQ(one.precision.has_value(), other.precision.has_value());
  if (one.precision && other.precision) {
    EXPECT_EQ(one.precision->alpha, other.precision->alpha);
  }
}

// Large enough for several chunks, with points that tie across them, closed points and closed blocks.
std::vector<Bench> large_benches() {
  std::vector<double> variances;
  for (int i = 0; i < 3001; ++i) variances.push_back(0.01 + 0.3 * ((i * 7919) % 1000) / 1000.0);
  std::vector<Bench> benches;
  Bench bench(variances);
  for (Index i = 500; i < 900; ++i) bench.candidates.close(i);
  for (Index i = 3; i < 500; i += 3) bench.candidates.close(i);
  benches.push_back(bench);
  bench.acquisition.ranking = Ranking::information;
  benches.push_back(bench);
  bench.acquisition.ranking = Ranking::random;
  benches.push_back(bench);
  bench.acquisition.ranking = Ranking::information_per_cost;
  bench.acquisition.information = std::make_shared<TargetInformation>(
      TargetInformationOptions{.graph = TargetGraph::b, .infinite = InfinitePolicy::limit});
  benches.push_back(bench);
  bench.acquisition.information = std::make_shared<TargetInformation>();
  bench.acquisition.continuous = ContinuousPrecision{
      .law = {.gamma = 0.09}, .cost = std::make_shared<ExpressionCost>("(1 + 9 / alpha)^-0.8")};
  bench.candidates.set_money(0.7, 0.7);
  benches.push_back(bench);
  Bench classes(variances, {});
  for (const double alpha : {0.0, 0.3, 0.5, 1.0})
    classes.offer.levels.push_back(
        {.alpha = alpha, .channel = FlipChannel{0.8 + 0.2 * alpha}, .cost = 0.25 + 0.75 * alpha * alpha});
  classes.acquisition.information = std::make_shared<ClassModelInformation>();
  benches.push_back(classes);
  return benches;
}

TEST(FullScan, DoesNotDependOnTheNumberOfThreads) {
  for (const Bench& bench : large_benches()) {
    const auto select = [&](int threads) {
      return select_by_full_scan(bench.belief, bench.offer, bench.acquisition, bench.candidates,
                                 {.threads = threads});
    };
    const auto scores = [&](int threads) {
      return score_pool(bench.belief, bench.offer, bench.acquisition, bench.candidates, {.threads = threads});
    };
    const std::optional<Score> one = select(1);
    const std::vector<Score> pool = scores(1);
    ASSERT_TRUE(one);
    for (const int threads : {2, 3, 7}) {
      expect_equal(*select(threads), *one);
      const std::vector<Score> shared = scores(threads);
      ASSERT_EQ(shared.size(), pool.size());
      for (std::size_t i = 0; i < pool.size(); ++i) expect_equal(shared[i], pool[i]);
    }
  }
}

TEST(FullScan, OfPointsThatTieAcrossChunksTheFirstWins) {
  std::vector<double> variances(2000, 0.1);
  for (const std::size_t i : {1999U, 1300U, 301U, 299U}) variances[i] = 0.5;
  variances[290] = 0.5 * (1 - 1e-10);
  EXPECT_EQ(Bench(variances).select()->point, 290);
  EXPECT_EQ(Bench(variances).select()->value, Bench({variances[290]}).select()->value);
}

// Gives no number at some points.
class Broken : public Information {
 public:
  std::string_view unit() const override { return "nats"; }
  void worth(const Marginals& belief, const Offer& offer, Index begin, Index end,
             std::span<const Index> levels, double* out) const override {
    ModelInformation().worth(belief, offer, begin, end, levels, out);
    for (const Index i : {2999, 1500, 701, 700})
      if (i >= begin && i < end) out[(i - begin) * static_cast<Index>(levels.size())] = std::nan("");
  }
};

TEST(FullScan, ComplainsAboutTheLowestRowThatIsNoNumber) {
  Bench bench(std::vector<double>(3000, 0.1));
  bench.acquisition.information = std::make_shared<Broken>();
  for (const int threads : {1, 2, 3, 7}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      try {
        score_pool(bench.belief, bench.offer, bench.acquisition, bench.candidates, {.threads = threads});
        FAIL();
      } catch (const NumericalError& error) {
        EXPECT_STREQ(error.what(), "the score of pool row 700 is not a number");
      }
      EXPECT_THROW(select_by_full_scan(bench.belief, bench.offer, bench.acquisition, bench.candidates,
                                       {.threads = threads}),
                   NumericalError);
    }
  }
}

TEST(Suggestion, SaysEverythingAnAnnotatorNeeds) {
  Points x(2, 2);
  x << 1, 2, 3, 4;
  const Pool pool(x, {"u", "v"}, {"a", "b"});
  Bench bench({0.5, 1.0}, testing::ladder(2, 1.0));
  const Suggestion s = make_suggestion(*bench.select(), pool, bench.offer, bench.acquisition, bench.belief);
  EXPECT_EQ(s.point, "b");
  EXPECT_EQ(s.inputs, (std::vector<double>{3, 4}));
  EXPECT_EQ(s.variance, 1.0);
  EXPECT_EQ(*s.level.alpha, 1.0);
  EXPECT_NEAR(noise_variance(s.channel), 0.1, 1e-15);
  EXPECT_EQ(s.information_per_cost(), s.information / s.cost);
}

}  // namespace
}  // namespace acuity::full_scan_test
