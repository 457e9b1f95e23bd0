#include "judgement/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/random.hpp"

namespace acuity::calibration_test {
namespace {

TEST(Calibration, CountsWhatLiesWithinEachInterval) {
  const ScoreCalibration found = calibration_of("fine", {0.0, 0.6, -0.7, 1.2, -1.9, 2.0, 3.0, -0.1});
  EXPECT_EQ(found.coverages[0].inside, 3);
  EXPECT_EQ(found.coverages[1].inside, 5);
  EXPECT_EQ(found.coverages[2].inside, 6);
  EXPECT_EQ(found.coverages[2].count, 8);
  EXPECT_NEAR(found.coverages[0].sampling_error(), std::sqrt(0.25 / 8), 1e-12);
  EXPECT_NEAR(found.mean, 4.1 / 8, 1e-12);
}

TEST(Calibration, HoldsRightScoresForRightAndWrongOnesForWrong) {
  int false_alarms = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    numerics::Draws draws(1, numerics::Purpose::data, seed);
    std::vector<double> right, narrow;
    for (int i = 0; i < 200; ++i) {
      right.push_back(draws.normal());
      narrow.push_back(2.0 * right.back());
    }
    for (const Coverage& coverage : calibration_of("", right).coverages) false_alarms += coverage.is_off();
    EXPECT_TRUE(calibration_of("", narrow).coverages[0].is_off()) << seed;
  }
  EXPECT_LE(false_alarms, 12);  // of 300, of which 1.2 % are expected
}

TEST(Calibration, ReliabilityGroupsLabelsByProbability) {
  Vector p(4), labels(4);
  p << 0.9, 0.1, 0.8, 0.2;
  labels << 1.0, -1.0, -1.0, -1.0;
  const std::vector<ReliabilityBin> bins = reliability_of(p, labels, 2);
  ASSERT_EQ(bins.size(), 2U);
  EXPECT_NEAR(bins[0].expected, 0.15, 1e-12);
  EXPECT_EQ(bins[0].found, 0.0);
  EXPECT_NEAR(bins[1].expected, 0.85, 1e-12);
  EXPECT_EQ(bins[1].found, 0.5);
  EXPECT_NEAR(bins[1].error, std::sqrt((0.09 + 0.16) / 4), 1e-12);
}

TEST(Calibration, SurpriseTellsTooSureFromTooUnsure) {
  numerics::Draws draws(2, numerics::Purpose::data);
  Vector right(400), sure(400), unsure(400), labels(400);
  for (Index i = 0; i < 400; ++i) {
    right(i) = draws.uniform(0.1, 0.9);
    labels(i) = draws.uniform() < right(i) ? 1.0 : -1.0;
    const double odds = std::log(right(i) / (1.0 - right(i)));
    sure(i) = 1.0 / (1.0 + std::exp(-3.0 * odds));
    unsure(i) = 1.0 / (1.0 + std::exp(-0.3 * odds));
  }
  EXPECT_LT(std::abs(excess_surprise(right, labels)), 2.5);
  EXPECT_GT(excess_surprise(sure, labels), 2.5);
  EXPECT_LT(excess_surprise(unsure, labels), -2.5);
}

}  // namespace
}  // namespace acuity::calibration_test
