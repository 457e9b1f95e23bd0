#include "numerics/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace acuity::numerics::random_test {
namespace {

// Fixed for good: a study's seed must give the same choices on every machine and in every later version.
TEST(Draws, AreTheSameEverywhere) {
  Draws draws(42, Purpose::data, 3, 4);
  EXPECT_EQ(draws.below(1'000'000'000), 499250617);
  EXPECT_DOUBLE_EQ(draws.uniform(), 0.30701144073196945);
  EXPECT_DOUBLE_EQ(draws.normal(), -0.85674589557288749);
  EXPECT_EQ(draw_key(42, Purpose::random_choice, 5, 6), 14905014137808941298U);
}

TEST(Draws, StreamsDifferInEveryPartOfTheirName) {
  std::set<double> first;
  for (const std::uint64_t seed : {1ULL, 2ULL, 1ULL << 40})
    for (const Purpose purpose : {Purpose::data, Purpose::answer})
      for (const std::uint32_t a : {0U, 1U})
        for (const std::uint32_t b : {0U, 1U}) first.insert(Draws(seed, purpose, a, b).uniform());
  EXPECT_EQ(first.size(), 24U);
}

TEST(Draws, HaveTheMomentsOfTheirDistribution) {
  Draws draws(7, Purpose::data);
  double sum = 0.0, square = 0.0, uniform = 0.0;
  constexpr int count = 200'000;
  for (int i = 0; i < count; ++i) {
    const double z = draws.normal();
    sum += z;
    square += z * z;
    uniform += draws.uniform(2.0, 4.0);
  }
  EXPECT_NEAR(sum / count, 0.0, 0.01);
  EXPECT_NEAR(square / count, 1.0, 0.015);
  EXPECT_NEAR(uniform / count, 3.0, 0.01);
}

TEST(Draws, PermutationHoldsEveryNumberOnce) {
  std::vector<std::int64_t> order = Draws(7, Purpose::data).permutation(100);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(DrawKey, PicksEveryItemEquallyOften) {
  std::vector<int> wins(5);
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    std::uint64_t best = 0;
    for (std::uint64_t item = 1; item < 5; ++item)
      if (draw_key(1, Purpose::random_choice, step, item) < draw_key(1, Purpose::random_choice, step, best))
        best = item;
    ++wins[best];
  }
  for (const int count : wins) EXPECT_NEAR(count, 4000, 4 * std::sqrt(4000 * 0.8));
}

}  // namespace
}  // namespace acuity::numerics::random_test
