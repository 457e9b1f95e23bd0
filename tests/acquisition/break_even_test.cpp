#include "acuity/acquisition/break_even.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "acuity/acquisition/regression_information.hpp"
#include "numerics/random.hpp"
#include "support/golden.hpp"

namespace acuity::break_even_test {
namespace {

using numerics::Draws;
using numerics::Purpose;
using testing::close_relative;

constexpr double infinite = std::numeric_limits<double>::infinity();

double per_cost(double latent, const PricedNoise& level) {
  return model_information(latent, level.noise, 0.0) / level.cost;
}

double log_uniform(Draws& draws, double low, double high) {
  return std::exp(draws.uniform(std::log(low), std::log(high)));
}

std::vector<PricedNoise> random_levels(Draws& draws) {
  std::vector<PricedNoise> levels(static_cast<std::size_t>(1 + draws.below(8)));
  for (PricedNoise& level : levels) level = {log_uniform(draws, 1e-3, 1.0), log_uniform(draws, 0.1, 10.0)};
  if (draws.below(2) == 0) return levels;
  const double q = draws.uniform(0.3, 1.0);  // a price list as people write them: more precise is dearer
  for (PricedNoise& level : levels) level.cost = std::pow(level.noise, -q);
  return levels;
}

std::size_t winner(const std::vector<BreakEvenInterval>& table, double latent) {
  for (const BreakEvenInterval& interval : table)
    if (interval.from <= latent && latent < interval.to) return interval.level;
  ADD_FAILURE() << "nothing wins at " << latent;
  return 0;
}

TEST(BreakEven, HitsTheGoldenValues) {
  int found = 0;
  for (const auto& g : testing::golden("alpha_opt").at("break_even")) {
    const PricedNoise sharp{g.at("n_precise"), g.at("cost_precise")},
        cheap{g.at("n_cheap"), g.at("cost_cheap")};
    const std::optional<double> variance = break_even_variance(sharp, cheap);
    ASSERT_EQ(variance.has_value(), !g.at("s_break").is_null());
    EXPECT_EQ(variance, break_even_variance(cheap, sharp));
    if (variance) {
      EXPECT_TRUE(close_relative(*variance, g.at("s_break"), 1e-13));
      ++found;
    }
    const double ratio = g.at("price_ratio_at_s");
    EXPECT_TRUE(close_relative(break_even_price_ratio(g.at("s"), sharp.noise, cheap.noise), ratio, 1e-14));
  }
  EXPECT_EQ(found, 8);
}

TEST(BreakEven, DividesTheVariancesInTwo) {
  Draws draws(21, Purpose::data);
  int found = 0;
  for (int i = 0; i < 5000; ++i) {
    const PricedNoise sharp{log_uniform(draws, 1e-4, 1.0), 1.0};
    const PricedNoise cheap{sharp.noise * log_uniform(draws, 1.001, 100.0), log_uniform(draws, 0.01, 1.1)};
    const std::optional<double> variance = break_even_variance(sharp, cheap);
    if (!variance) {
      const bool always_sharp = cheap.cost >= sharp.cost;
      EXPECT_TRUE(always_sharp || sharp.cost * sharp.noise >= cheap.cost * cheap.noise);
      for (const double s : {1e-6, 1e-3, 1.0, 1e3, 1e6})
        EXPECT_EQ(per_cost(s, sharp) >= per_cost(s, cheap) * (1 - 1e-15), always_sharp);
    } else if (*variance < 1e250) {
      ++found;
      EXPECT_GT(per_cost(*variance * 0.9, sharp), per_cost(*variance * 0.9, cheap));
      EXPECT_LT(per_cost(*variance * 1.1, sharp), per_cost(*variance * 1.1, cheap));
      EXPECT_TRUE(close_relative(per_cost(*variance, sharp), per_cost(*variance, cheap), 1e-13));
    }
  }
  EXPECT_GT(found, 1000);
}

TEST(BreakEven, IsNothingWhereOneLevelAlwaysWins) {
  EXPECT_FALSE(break_even_variance({0.1, 1.0}, {0.2, 1.0}));  // less noise at the same price
  EXPECT_FALSE(break_even_variance({0.1, 1.0}, {0.1, 2.0}));  // the same noise at a lower price
  EXPECT_FALSE(break_even_variance({0.1, 1.0}, {0.1, 1.0}));
  EXPECT_FALSE(break_even_variance({0.1, 2.0}, {0.2, 1.0}));  // at best as good, in the limit of no variance
  EXPECT_FALSE(break_even_variance({0.1, 3.0}, {0.2, 1.0}));
  EXPECT_FALSE(break_even_variance({0.0, 1e9}, {0.2, 1.0}));  // without noise
  EXPECT_TRUE(break_even_variance({0.1, 1.9}, {0.2, 1.0}));
}

TEST(BreakEven, IsFoundNextToBothEnds) {
  // Price ratio just below the ratio of the noises: s = 2 kappa n2 / (n2 / n1 - 1) to first order.
  const double kappa = 0x1p-40;
  const std::optional<double> small = break_even_variance({0.5, 2.0 * (1.0 - kappa)}, {1.0, 1.0});
  ASSERT_TRUE(small);
  EXPECT_TRUE(close_relative(*small, 2.0 * kappa, 1e-11));
  // Price ratio just above 1: s = n2 (n2 / n1)^(1 / (ratio - 1)) to first order.
  const std::optional<double> large = break_even_variance({0.5, 1.0 + 0x1p-8}, {1.0, 1.0});
  ASSERT_TRUE(large);
  EXPECT_TRUE(close_relative(*large, 0x1p256, 1e-11));
  EXPECT_EQ(break_even_variance({0.5, 1.0 + 0x1p-20}, {1.0, 1.0}), infinite);
}

TEST(BreakEven, IsFoundBetweenNoisesOfVeryDifferentSize) {
  for (const double ratio : {1e2, 1e6, 1e12})
    for (const double price : {1.5, 5.0, 50.0}) {
      const std::optional<double> variance = break_even_variance({1.0, price}, {ratio, 1.0});
      ASSERT_TRUE(variance);
      EXPECT_TRUE(close_relative(break_even_price_ratio(*variance, 1.0, ratio), price, 1e-13));
    }
}

TEST(BreakEven, DoesNotDependOnUnits) {
  const double expected = *break_even_variance({0.1, 3.0}, {0.9, 1.0});
  for (const double unit : {1e-140, 1e-20, 1e20, 1e140})
    for (const double money : {1e-100, 1.0, 1e100})
      EXPECT_TRUE(close_relative(*break_even_variance({0.1 * unit, 3.0 * money}, {0.9 * unit, 1.0 * money}),
                                 expected * unit, 1e-12));
}

TEST(BreakEvenTable, AgreesWithAScan) {
  Draws draws(22, Purpose::data);
  int intervals = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::vector<PricedNoise> levels = random_levels(draws);
    const std::vector<BreakEvenInterval> table = break_even_table(levels);
    intervals += static_cast<int>(table.size());
    for (double exponent = -9.0; exponent <= 9.0; exponent += 0.05) {
      const double s = std::pow(10.0, exponent);
      double best = 0.0;
      for (const PricedNoise& level : levels) best = std::max(best, per_cost(s, level));
      EXPECT_GE(per_cost(s, levels[winner(table, s)]), best * (1 - 1e-13)) << i << " at " << s;
    }
  }
  EXPECT_GT(intervals, 2000);
}

TEST(BreakEvenTable, GoesFromSharpToCoarseAndFromZeroToInfinityWithoutGaps) {
  Draws draws(23, Purpose::data);
  for (int i = 0; i < 1000; ++i) {
    const std::vector<PricedNoise> levels = random_levels(draws);
    const std::vector<BreakEvenInterval> table = break_even_table(levels);
    ASSERT_FALSE(table.empty());
    EXPECT_EQ(table.front().from, 0.0);
    EXPECT_EQ(table.back().to, infinite);
    for (std::size_t k = 0; k < table.size(); ++k) {
      EXPECT_LT(table[k].from, table[k].to);
      if (k == 0) continue;
      EXPECT_EQ(table[k].from, table[k - 1].to);
      EXPECT_GT(levels[table[k].level].noise, levels[table[k - 1].level].noise);
      EXPECT_LT(levels[table[k].level].cost, levels[table[k - 1].level].cost);
      EXPECT_EQ(table[k].from, break_even_variance(levels[table[k].level], levels[table[k - 1].level]));
    }
    // The limits of math.md 5.5.
    const auto by_product = [](const PricedNoise& a, const PricedNoise& b) {
      return a.noise * a.cost < b.noise * b.cost;
    };
    const auto by_cost = [](const PricedNoise& a, const PricedNoise& b) { return a.cost < b.cost; };
    EXPECT_EQ(&levels[table.front().level], &*std::min_element(levels.begin(), levels.end(), by_product));
    const auto cheapest = std::min_element(levels.begin(), levels.end(), by_cost);
    // Prices a hair apart would part company beyond the largest double.
    const PricedNoise& last = levels[table.back().level];
    EXPECT_TRUE(&last == &*cheapest || break_even_variance(last, *cheapest) == infinite);
  }
}

TEST(BreakEvenTable, LeavesTiesToTheCheaperThenToTheFirst) {
  const PricedNoise twice[] = {{0.2, 1.0}, {0.1, 2.0}, {0.2, 1.0}};  // n C is the same: a tie for s -> 0
  const std::vector<BreakEvenInterval> table = break_even_table(twice);
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table[0].level, 0u);
  EXPECT_TRUE(break_even_table({}).empty());
}

TEST(BreakEvenTable, GivesEverythingToTheCheapestLevelWithoutNoise) {
  const PricedNoise levels[] = {{0.2, 1.0}, {0.0, 9.0}, {0.0, 8.0}};
  const std::vector<BreakEvenInterval> table = break_even_table(levels);
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table[0].level, 2u);
}

TEST(BreakEvenPriceRatio, FallsFromTheRatioOfTheNoisesToOne) {
  double before = 5.0;
  EXPECT_EQ(break_even_price_ratio(0.0, 0.1, 0.5), 5.0);
  for (double exponent = -6.0; exponent <= 300.0; exponent += 0.5) {
    const double ratio = break_even_price_ratio(std::pow(10.0, exponent), 0.1, 0.5);
    EXPECT_LT(ratio, before);
    EXPECT_GT(ratio, 1.0);
    before = ratio;
  }
  EXPECT_EQ(break_even_price_ratio(infinite, 0.1, 0.5), 1.0);
  EXPECT_TRUE(close_relative(break_even_price_ratio(1e-300, 0.1, 0.5), 5.0, 1e-15));
  EXPECT_TRUE(close_relative(break_even_price_ratio(1e300, 1e-20, 1e-10), 320.0 / 310.0, 1e-14));
  EXPECT_EQ(break_even_price_ratio(1.0, 0.0, 0.5), infinite);
  EXPECT_EQ(break_even_price_ratio(1.0, 0.5, 0.0), 0.0);
}

TEST(BreakEvenPrice, IsWhereALevelBeginsToWin) {
  Draws draws(24, Purpose::data);
  for (int i = 0; i < 1000; ++i) {
    std::vector<PricedNoise> levels = random_levels(draws);
    const double s = log_uniform(draws, 1e-4, 1e4);
    const std::size_t k = static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(levels.size())));
    const double price = break_even_price(s, levels, k);
    if (levels.size() == 1) {
      EXPECT_EQ(price, infinite);
      continue;
    }
    levels[k].cost = price * (1 - 1e-9);
    EXPECT_EQ(winner(break_even_table(levels), s), k);
    levels[k].cost = price * (1 + 1e-9);
    EXPECT_NE(winner(break_even_table(levels), s), k);
  }
}

TEST(BreakEven, RefusesWhatIsNoLevel) {
  EXPECT_THROW(break_even_variance({-0.1, 1.0}, {0.1, 1.0}), std::invalid_argument);
  EXPECT_THROW(break_even_variance({0.1, 0.0}, {0.1, 1.0}), std::invalid_argument);
  EXPECT_THROW(break_even_price_ratio(-1.0, 0.1, 0.2), std::invalid_argument);
  EXPECT_THROW(break_even_price_ratio(std::nan(""), 0.1, 0.2), std::invalid_argument);
  const PricedNoise levels[] = {{0.1, 1.0}, {0.2, infinite}};
  EXPECT_THROW(break_even_table(levels), std::invalid_argument);
  EXPECT_THROW(break_even_price(1.0, {levels, 1}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace acuity::break_even_test
