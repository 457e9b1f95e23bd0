#include "acuity/selection/capacity_batch.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <map>

#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/selector.hpp"
#include "numerics/random.hpp"

namespace acuity::capacity_batch_test {
namespace {

// A pool on a plane and levels of 1, 2 and 4 vessels: half the noise variance for twice the vessels, at
// random prices.
struct Problem {
  std::shared_ptr<const Kernel> kernel =
      std::make_shared<StationaryKernel>(StationaryKernelOptions{.lengthscale = Vector{{1.0, 1.0}}});
  Points pool;
  Offer offer;
  std::int64_t capacity = 0;

  explicit Problem(std::uint32_t seed, Index points = 5) : pool(points, 2) {
    numerics::Draws draws(seed, numerics::Purpose::repeat, 7, 0);
    const auto uniform = [&] { return static_cast<double>(draws.below(10'000)) / 10'000.0; };
    for (Index i = 0; i < points; ++i) pool.row(i) << 3.0 * uniform(), 3.0 * uniform();
    offer.base_noise = Vector::Constant(points, 0.01);
    const double noise = 0.05 + uniform(), setup = 3.0 * uniform();
    for (const std::int64_t units : {1, 2, 4})
      offer.levels.push_back({.name = std::to_string(units),
                              .channel = GaussianChannel{noise / static_cast<double>(units)},
                              .cost = setup + static_cast<double>(units) * (0.5 + uniform()),
                              .units = units,
                              .value = {}});
    capacity = 3 + draws.below(4);
  }
  GpPoolBelief belief() const { return {Prior{.kernel = kernel}, pool, {}}; }
};

// Number of a point's level, -1: none.
using Design = std::vector<int>;

struct Worth {
  double information = 0.0, cost = 0.0;
  std::int64_t units = 0;
};

// By the determinant, math.md eq. (7.1).
Worth worth_of(const Problem& problem, const Design& design) {
  Worth worth;
  std::vector<Index> rows;
  std::vector<double> noise;
  for (std::size_t i = 0; i < design.size(); ++i) {
    if (design[i] < 0) continue;
    const Level& level = problem.offer.levels[static_cast<std::size_t>(design[i])];
    rows.push_back(static_cast<Index>(i));
    noise.push_back(noise_variance(level.channel) + problem.offer.base_noise(static_cast<Index>(i)));
    worth.cost += level.cost;
    worth.units += level.units;
  }
  Points points(static_cast<Index>(rows.size()), 2);
  for (std::size_t k = 0; k < rows.size(); ++k) points.row(static_cast<Index>(k)) = problem.pool.row(rows[k]);
  Matrix joint = problem.kernel->cross(points, points);
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = 0; b < rows.size(); ++b)
      joint(static_cast<Index>(a), static_cast<Index>(b)) /= std::sqrt(noise[a] * noise[b]);
  joint.diagonal().array() += 1.0;
  worth.information = rows.empty() ? 0.0 : 0.5 * std::log(joint.determinant());
  return worth;
}

// All designs that fit and leave no vessel that could be used.
std::vector<Worth> every_full_design(const Problem& problem) {
  std::vector<Worth> all;
  const auto points = static_cast<std::size_t>(problem.pool.rows());
  Design design(points, -1);
  while (true) {
    const Worth worth = worth_of(problem, design);
    const bool has_free_point = std::find(design.begin(), design.end(), -1) != design.end();
    if (worth.units == problem.capacity || (worth.units < problem.capacity && !has_free_point))
      all.push_back(worth);
    std::size_t k = 0;
    while (k < points && ++design[k] == static_cast<int>(problem.offer.levels.size())) design[k++] = -1;
    if (k == points) return all;
  }
}

Worth worth_of(const Problem& problem, const std::vector<Score>& batch) {
  Design design(static_cast<std::size_t>(problem.pool.rows()), -1);
  double sum = 0.0;
  for (const Score& score : batch) {
    EXPECT_EQ(design[static_cast<std::size_t>(score.point)], -1) << "no point twice";
    design[static_cast<std::size_t>(score.point)] = static_cast<int>(score.level);
    sum += score.information;
  }
  Worth worth = worth_of(problem, design);
  EXPECT_NEAR(worth.information, sum, 1e-9) << "the steps add up to the joint information";
  return worth;
}

// One after another, each the best by the rule that still fits.
std::vector<Score> one_after_another(const Problem& problem, const Acquisition& rule) {
  GpPoolBelief belief = problem.belief();
  Candidates candidates(problem.offer);
  std::int64_t room = problem.capacity;
  std::vector<Score> batch;
  Selector selector(problem.offer, rule);
  while (true) {
    Candidates fitting = candidates;
    for (std::size_t k = 0; k < problem.offer.levels.size(); ++k)
      if (problem.offer.levels[k].units > room) fitting.close_level(static_cast<Index>(k));
    const std::optional<Score> best = selector.choose(belief, fitting);
    if (!best) return batch;
    belief.condition(best->point, problem.offer.channel(best->point, best->level), std::nullopt);
    candidates.buy(*best);
    room -= problem.offer.levels[static_cast<std::size_t>(best->level)].units;
    batch.push_back(*best);
  }
}

// The rule of choice for batches.
struct BatchRule {
  double price = 0.0;

  BatchRule(const std::vector<Worth>& all, double price_weight) {
    for (const Worth& one : all) price = std::max(price, one.information / one.cost);
    price *= price_weight;
  }
  double value(const Worth& worth) const { return worth.information - price * worth.cost; }
};

TEST(CapacityBatch, IsNearTheBestOfAllThatFitAndNeverBelowOneAfterAnother) {
  for (const double price_weight : {0.0, 0.4, 1.0}) {
    double least = 1.0, sum = 0.0, greedy_sum = 0.0;
    constexpr int problems = 60;
    for (int seed = 0; seed < problems; ++seed) {
      const Problem problem(static_cast<std::uint32_t>(seed));
      Acquisition rule;
      rule.price_weight = price_weight;
      GpPoolBelief belief = problem.belief();
      const Vector before = belief.marginals().variance;
      const std::vector<Score> batch =
          select_batch_within(belief, problem.offer, rule, Candidates(problem.offer),
                              {.capacity = problem.capacity, .threads = 1});
      EXPECT_EQ((belief.marginals().variance - before).cwiseAbs().maxCoeff(), 0.0) << "it is restored";
      const std::vector<Worth> all = every_full_design(problem);
      const Worth found = worth_of(problem, batch),
                  greedy = worth_of(problem, one_after_another(problem, rule));
      EXPECT_LE(found.units, problem.capacity);
      EXPECT_TRUE(found.units == problem.capacity || static_cast<Index>(batch.size()) == problem.pool.rows())
          << found.units << " of " << problem.capacity << " are used";
      const BatchRule judge(all, price_weight);
      double best = -1e300;
      for (const Worth& one : all) best = std::max(best, judge.value(one));
      // At weight 1 the best value is 0: there ratios are compared.
      const double price = judge.price / std::max(price_weight, 1e-300);
      const auto share = [&](const Worth& one) {
        return price_weight == 1.0 ? one.information / one.cost / price : judge.value(one) / best;
      };
      EXPECT_GE(share(found), share(greedy) - 1e-9);
      EXPECT_LE(share(found), 1.0 + 1e-9);
      least = std::min(least, share(found));
      sum += share(found);
      greedy_sum += share(greedy);
    }
    std::printf("price weight %.1f: %.4f of the best on average, at least %.4f; one after another %.4f\n",
                price_weight, sum / problems, least, greedy_sum / problems);
    EXPECT_GE(least, 0.9);
    EXPECT_GE(sum / problems, 0.99);
  }
}

TEST(CapacityBatch, FillsVesselsThatChoicesOneByOneLeaveEmpty) {
  // By information per cost 3 vessels come first; then 1 of 4 is left, which no level takes.
  Problem problem(1);
  problem.capacity = 4;
  problem.offer.levels.resize(2);
  problem.offer.levels[0].units = 2;
  problem.offer.levels[1].units = 3;
  problem.offer.levels[0].cost = 1.0;
  problem.offer.levels[1].cost = 0.9;
  Acquisition rule;
  rule.price_weight = 0.0;
  ASSERT_EQ(one_after_another(problem, rule).size(), 1U);
  GpPoolBelief belief = problem.belief();
  const std::vector<Score> batch =
      select_batch_within(belief, problem.offer, rule, Candidates(problem.offer), {.capacity = 4});
  ASSERT_EQ(batch.size(), 2U);
  for (const Score& score : batch) EXPECT_EQ(score.level, 0);
}

TEST(CapacityBatch, IsAPlainBatchIfAllLevelsTakeTheSame) {
  Problem problem(3, 30);
  for (Level& level : problem.offer.levels) level.units = 2;
  for (const double price_weight : {0.0, 1.0}) {
    Acquisition rule;
    rule.price_weight = price_weight;
    GpPoolBelief belief = problem.belief();
    const auto within =
        select_batch_within(belief, problem.offer, rule, Candidates(problem.offer), {.capacity = 9});
    const auto plain = select_batch(belief, problem.offer, rule, Candidates(problem.offer), 4);
    ASSERT_EQ(within.size(), 4U);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(within[k].point, plain[k].point);
      EXPECT_EQ(within[k].level, plain[k].level);
    }
  }
}

TEST(CapacityBatch, RespectsTheNumberAndTheMoney) {
  const Problem problem(5, 12);
  Acquisition rule;
  rule.price_weight = 0.0;
  GpPoolBelief belief = problem.belief();
  const auto two =
      select_batch_within(belief, problem.offer, rule, Candidates(problem.offer), {.capacity = 8, .most = 2});
  ASSERT_EQ(two.size(), 2U);
  for (const Score& score : two)
    EXPECT_EQ(problem.offer.levels[static_cast<std::size_t>(score.level)].units, 4);
  const double budget = problem.offer.levels[0].cost + problem.offer.levels[1].cost;
  const auto paid = select_batch_within(belief, problem.offer, rule,
                                        Candidates(problem.offer, {.budget = budget}), {.capacity = 8});
  double cost = 0.0;
  for (const Score& score : paid) cost += score.cost;
  EXPECT_FALSE(paid.empty());
  EXPECT_LE(cost, budget + 1e-9);
}

TEST(CapacityBatch, LargeCapacitiesCompareSomeMixturesOnly) {
  const Problem problem(6, 400);
  Acquisition rule;
  rule.price_weight = 0.4;
  GpPoolBelief belief = problem.belief();
  const auto choose = [&](int threads) {
    std::vector<std::pair<Index, Index>> pairs;
    for (const Score& score : select_batch_within(belief, problem.offer, rule, Candidates(problem.offer),
                                                  {.capacity = 96, .threads = threads, .most_steps = 400}))
      pairs.emplace_back(score.point, score.level);
    return pairs;
  };
  const auto batch = choose(1);
  std::int64_t units = 0;
  for (const auto& [point, level] : batch)
    units += problem.offer.levels[static_cast<std::size_t>(level)].units;
  EXPECT_EQ(units, 96);
  EXPECT_EQ(choose(2), batch) << "on any number of threads";
}

}  // namespace
}  // namespace acuity::capacity_batch_test
