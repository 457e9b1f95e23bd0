#include "numerics/sobol.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "numerics/random.hpp"

namespace acuity::numerics::sobol_test {
namespace {

std::vector<std::vector<double>> points(std::size_t inputs, std::uint64_t seed, int count) {
  SobolSequence sequence(inputs, seed);
  std::vector<std::vector<double>> all;
  for (int i = 0; i < count; ++i) sequence.next(all.emplace_back(inputs).data());
  return all;
}

// Fixed for good: the pool of a study is drawn by its seed on every machine and in every later version.
TEST(SobolSequence, IsTheSameEverywhere) {
  const auto drawn = points(5, 42, 1000);
  EXPECT_EQ(drawn[0], (std::vector<double>{0.52032752790604087, 0.015297580065419147, 0.8495319513295374,
                                           0.58886490598312979, 0.24985828323730064}));
  EXPECT_EQ(drawn[999], (std::vector<double>{0.68128740673185428, 0.71773479024408626, 0.75199716410584139,
                                             0.28882276163957799, 0.93722757336143203}));
}

TEST(SobolSequence, EverySliceOfEveryInputHasItsShare) {
  constexpr int bits = 10, count = 1 << bits, blocks = 3;
  const auto drawn = points(12, 7, blocks * count);
  for (std::size_t input = 0; input < 12; ++input)
    for (int k = 1; k <= bits; ++k) {
      std::vector<int> in_slice(std::size_t{1} << k, 0);
      for (const std::vector<double>& point : drawn)
        ++in_slice[static_cast<std::size_t>(std::ldexp(point[input], k))];
      for (const int found : in_slice) EXPECT_EQ(found, blocks * count >> k) << input << " " << k;
    }
}

// Any number of points, not only a power of two: a slice misses or exceeds its share by less than one.
TEST(SobolSequence, SlicesStayBalancedForAnyNumberOfPoints) {
  const auto drawn = points(6, 3, 1500);
  for (std::size_t input = 0; input < 6; ++input) {
    std::vector<int> in_slice(64, 0);
    for (std::size_t n = 0; n < drawn.size(); ++n) {
      ++in_slice[static_cast<std::size_t>(64.0 * drawn[n][input])];
      const auto [least, most] = std::minmax_element(in_slice.begin(), in_slice.end());
      ASSERT_LE(*most - *least, 1) << "input " << input << " after " << n + 1 << " points";
    }
  }
}

// The first two inputs are a (0, 2)-sequence: every box of area 2^-8 has one of 2^8 points, whatever its
// shape.
TEST(SobolSequence, BoxesOfTheFirstTwoInputsHaveTheirShare) {
  const auto drawn = points(2, 11, 256);
  for (int wide = 0; wide <= 8; ++wide) {
    std::vector<int> in_box(256, 0);
    for (const std::vector<double>& point : drawn) {
      const auto column = static_cast<std::size_t>(std::ldexp(point[0], wide));
      const auto row = static_cast<std::size_t>(std::ldexp(point[1], 8 - wide));
      ++in_box[(column << (8 - wide)) + row];
    }
    EXPECT_EQ(std::count(in_box.begin(), in_box.end(), 1), 256) << wide;
  }
}

TEST(SobolSequence, SeedsAndInputsDiffer) {
  const auto one = points(3, 1, 4), other = points(3, 2, 4);
  for (std::size_t input = 0; input < 3; ++input) EXPECT_NE(one[0][input], other[0][input]);
  EXPECT_NE(one[0][0], one[0][1]);
  EXPECT_EQ(points(3, 1, 8)[3], one[3]) << "the first points do not depend on how many are taken";
  EXPECT_NE(points(3, 1ULL << 40, 1)[0][0], one[0][0]);
}

// Warnock's formula: how far the share of points in a box from the origin is from its volume, as a root mean
// square over boxes.
double discrepancy(const std::vector<std::vector<double>>& drawn) {
  const auto count = static_cast<double>(drawn.size()), inputs = static_cast<double>(drawn[0].size());
  double single = 0.0, pairs = 0.0;
  for (const std::vector<double>& a : drawn) {
    double product = 1.0;
    for (const double x : a) product *= 1.0 - x * x;
    single += product;
    for (const std::vector<double>& b : drawn) {
      product = 1.0;
      for (std::size_t k = 0; k < a.size(); ++k) product *= 1.0 - std::max(a[k], b[k]);
      pairs += product;
    }
  }
  return std::sqrt(std::pow(3.0, -inputs) - std::pow(2.0, 1.0 - inputs) / count * single +
                   pairs / count / count);
}

TEST(SobolSequence, FillsTheBoxMoreEvenlyThanRandomDraws) {
  for (const auto& [inputs, ratio] :
       {std::pair(std::size_t{2}, 0.15), std::pair(std::size_t{5}, 0.5), std::pair(std::size_t{10}, 0.9)}) {
    Draws draws(5, Purpose::data);
    std::vector<std::vector<double>> random(1000, std::vector<double>(inputs));
    for (std::vector<double>& point : random)
      for (double& x : point) x = draws.uniform();
    EXPECT_LT(discrepancy(points(inputs, 5, 1000)), ratio * discrepancy(random)) << inputs;
  }
}

TEST(SobolSequence, HasAtLeastOneInput) {
  EXPECT_THROW(SobolSequence(0, 1), std::invalid_argument);
  EXPECT_THROW(SobolSequence(SobolSequence::most_inputs + 1, 1), std::invalid_argument);
  double point[SobolSequence::most_inputs];
  SobolSequence(SobolSequence::most_inputs, 1).next(point);
}

TEST(Between, ReachesItsEndsAndKeepsItsOrder) {
  constexpr double last = 1.0 - 0x1p-53;
  EXPECT_EQ(between(-3.0, 40.0, 0.0), -3.0);
  EXPECT_EQ(between(-3.0, 40.0, 0.5), 18.5);
  EXPECT_LE(between(-3.0, 40.0, last), 40.0);
  EXPECT_EQ(between_on_log_scale(0.1, 1000.0, 0.0), 0.1);
  EXPECT_LE(between_on_log_scale(0.1, 1000.0, last), 1000.0);
  EXPECT_LT(between_on_log_scale(0.1, 1000.0, 0.3), between_on_log_scale(0.1, 1000.0, 0.3000001));
}

// The slow twin is the library's logarithm.
TEST(Between, OnALogScaleIsThePowerOfTheRatio) {
  Draws draws(8, Purpose::data);
  for (const auto& [low, high] :
       {std::pair(1.0, 1000.0), std::pair(1e-9, 3e-7), std::pair(0.5, 0.50001), std::pair(1e-300, 1e300)})
    for (int i = 0; i < 200; ++i) {
      const double share = draws.uniform();
      const double wanted = std::exp(std::lerp(std::log(low), std::log(high), share));
      EXPECT_NEAR(between_on_log_scale(low, high, share) / wanted, 1.0, 4e-13) << low << " " << share;
    }
}

}  // namespace
}  // namespace acuity::numerics::sobol_test
