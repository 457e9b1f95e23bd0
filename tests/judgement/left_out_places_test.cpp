#include "judgement/left_out_places.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace acuity::left_out_places_test {
namespace {

// Errors of so many independent places whose standard deviation is `factor` times the one claimed.
LeftOutPlaces drawn(int count, double factor, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  LeftOutPlaces places;
  for (int k = 0; k < count; ++k)
    places.scores.push_back(
        {.error = factor * normal(random) + noise * normal(random), .variance = 1.0, .noise = noise * noise});
  places.counted = count;
  return places;
}

TEST(LeftOutPlaces, FindTheFactorOfF) {
  for (const double factor : {0.6, 1.0, 1.6}) {
    const FactorOfF found = drawn(400, factor, 0.2, 1).factor();
    EXPECT_NEAR(found.median, factor, 0.1 * factor);
    EXPECT_LT(found.low, factor);
    EXPECT_GT(found.high, factor);
    EXPECT_EQ(found.is_good > 0.9, factor == 1.0);
    EXPECT_EQ(found.is_narrow > 0.9, factor == 1.6);
    EXPECT_EQ(found.is_wide > 0.9, factor == 0.6);
  }
}

TEST(LeftOutPlaces, KnowNothingAboutFWhereNoiseHidesIt) {
  for (const double factor : {0.6, 1.6}) {
    const FactorOfF found = drawn(60, factor, 10.0, 2).factor();
    EXPECT_LT(found.low, 0.75);
    EXPECT_GT(found.high, 1.4);
    EXPECT_LT(found.is_narrow, 0.9);
    EXPECT_LT(found.is_wide, 0.9);
  }
}

TEST(LeftOutPlaces, AreRightAsOftenAsTheySay) {
  int inside = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const FactorOfF found = drawn(20, 1.0, 0.5, seed).factor();
    inside += found.low <= 1.0 && 1.0 <= found.high ? 1 : 0;
  }
  EXPECT_GT(inside, 170);
}

TEST(LeftOutPlaces, CountNeighboursOnce) {
  LeftOutPlaces places = drawn(400, 1.6, 0.0, 3);
  const FactorOfF independent = places.factor();
  places.counted = 10;
  EXPECT_GT(places.factor().high / places.factor().low, 1.3 * independent.high / independent.low);
}

}  // namespace
}  // namespace acuity::left_out_places_test
