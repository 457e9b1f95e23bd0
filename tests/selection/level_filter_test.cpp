// Levels that are dropped, beside all of them.
#include "selection/level_filter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "numerics/random.hpp"

namespace acuity::level_filter_test {
namespace {

struct Bench {
  Offer offer;
  Acquisition acquisition;
  std::unique_ptr<const InformationLines> lines = lines_of(*acquisition.information);
  NoiseRange base_noise{0.01, 0.04};

  explicit Bench(numerics::Draws& draws) {
    for (Index k = 0; k < 30; ++k) {
      const double noise = std::pow(10.0, draws.uniform(-3.0, 1.0));
      offer.levels.push_back(
          {.channel = GaussianChannel{noise}, .cost = draws.uniform(0.7, 1.3) / std::pow(0.01 + noise, 0.6)});
    }
  }

  LevelFilter filter() const {
    LevelFilter filter(offer, acquisition, *lines, base_noise);
    std::vector<Index> all;
    for (Index k = 0; k < static_cast<Index>(offer.levels.size()); ++k) all.push_back(k);
    filter.set_levels_in_play(all);
    return filter;
  }
};

double best_value(const PaddedLevels& levels, double variance, double base_noise) {
  double best = 0.0;
  for (std::size_t k = 0; k < static_cast<std::size_t>(levels.count); ++k)
    best =
        std::max(best, 0.5 * std::log1p(variance / (base_noise + levels.added[k])) * levels.inverse_cost[k]);
  return best;
}

TEST(LevelFilter, DropsNoLevelThatWinsAtAPointThatMatters) {
  numerics::Draws draws(91, numerics::Purpose::data, 1);
  std::ptrdiff_t dropped = 0;
  for (int round = 0; round < 50; ++round) {
    const Bench bench(draws);
    LevelFilter filter = bench.filter();
    const double highest = std::pow(10.0, draws.uniform(-2.0, 1.0));
    const double last_best = best_value(filter.padded_levels_in_play(), 0.7 * highest, 0.01);
    filter.drop_levels(highest, last_best);
    dropped += 30 - filter.competitive_levels().count;
    EXPECT_LT(filter.bound_of_dropped_levels(), last_best);
    for (int point = 0; point < 200; ++point) {
      const double variance = highest * std::pow(10.0, draws.uniform(-4.0, 0.0)),
                   base = draws.uniform(0.01, 0.04);
      const double all = best_value(filter.padded_levels_in_play(), variance, base);
      if (all <= filter.bound_of_dropped_levels()) continue;
      EXPECT_NEAR(best_value(filter.competitive_levels(), variance, base), all, 1e-12 * all);
    }
  }
  EXPECT_GT(dropped, 100);
}

TEST(LevelFilter, IsCurrentUntilTheBestValueHasFallenByAQuarter) {
  numerics::Draws draws(92, numerics::Purpose::data, 1);
  const Bench bench(draws);
  LevelFilter filter = bench.filter();
  EXPECT_FALSE(filter.is_current(1.0));
  filter.drop_levels(1.0, 0.0);
  EXPECT_FALSE(filter.is_current(1.0)) << "nothing was known of the best value";
  filter.drop_levels(1.0, 1.0);
  EXPECT_TRUE(filter.is_current(0.8));
  EXPECT_FALSE(filter.is_current(0.7));
  filter.keep_all_levels(0.7);
  EXPECT_EQ(filter.competitive_levels().count, 30);
  EXPECT_EQ(filter.bound_of_dropped_levels(), 0.0);
  EXPECT_TRUE(filter.is_current(0.7));
}

}  // namespace
}  // namespace acuity::level_filter_test
