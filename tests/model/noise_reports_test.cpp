#include "acuity/model/noise_reports.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/random.hpp"

namespace acuity::noise_reports_test {
namespace {

TEST(NoiseReports, WithoutBaseNoiseTheFactorIsAWeightedMeanOfLogarithms) {
  const std::vector<NoiseReport> reports{{.reported = 0.4, .base = 0.0, .added = 0.1, .level = 1},
                                         {.reported = 0.9, .base = 0.0, .added = 0.1, .level = 1},
                                         {.reported = 0.02, .base = 0.0, .added = 0.04, .level = 2}};
  const NoiseScales scales = scales_from_reports(reports, 4);
  ASSERT_EQ(scales.levels.size(), 4U);
  const double w = declared_noise_weight;
  EXPECT_NEAR(scales.levels[1], std::exp((std::log(4.0) + std::log(9.0)) / (w + 2.0)), 1e-12);
  EXPECT_NEAR(scales.levels[2], std::exp(std::log(0.5) / (w + 1.0)), 1e-12);
  EXPECT_EQ(scales.levels[0], 1.0) << "no report of it";
  EXPECT_EQ(scales.levels[3], 1.0);
  EXPECT_EQ(scales.base, 1.0);
  EXPECT_EQ(scales.added, 1.0);
}

TEST(NoiseReports, NothingReportedChangesNothing) {
  const NoiseScales scales = scales_from_reports({}, 2);
  EXPECT_EQ(scales.base, 1.0);
  EXPECT_EQ(scales.levels, (std::vector<double>{1.0, 1.0}));
}

TEST(NoiseReports, ManyReportsOfTwiceTheNoiseScaleEveryPartOfIt) {
  std::vector<NoiseReport> reports;
  for (int k = 0; k < 400; ++k) {
    const double base = 0.01 * (1 + k % 3), added = 0.09 / (1 + k % 5);
    reports.push_back({.reported = 4.0 * (base + added), .base = base, .added = added});
  }
  const NoiseScales scales = scales_from_reports(reports, 1);
  EXPECT_NEAR(scales.base, 4.0, 0.3);
  EXPECT_NEAR(scales.levels[0], 4.0, 0.1);
}

TEST(NoiseReports, LevelsThatAreOffLeaveTheBaseNoiseAsItIs) {
  std::vector<NoiseReport> reports;
  for (int k = 0; k < 400; ++k) {
    const double added = 0.09 / (1 + k % 5);
    reports.push_back({.reported = 0.01 + 4.0 * added, .base = 0.01, .added = added});
  }
  const NoiseScales scales = scales_from_reports(reports, 1);
  EXPECT_NEAR(scales.base, 1.0, 0.15);
  EXPECT_NEAR(scales.levels[0], 4.0, 0.1);
}

// math.md eq. (11.9), written down a second time.
double penalty(const std::vector<NoiseReport>& reports, double base, double level) {
  double sum = declared_noise_weight * (base * base + level * level);
  for (const NoiseReport& r : reports)
    sum += std::pow(std::log(r.reported / (std::exp(base) * r.base + std::exp(level) * r.added)), 2);
  return sum;
}

// The slow twin: all of a grid.
TEST(NoiseReports, NoPointOfAGridIsLower) {
  numerics::Draws draws(3, numerics::Purpose::data, 0);
  for (int round = 0; round < 20; ++round) {
    std::vector<NoiseReport> reports;
    const double base = draws.uniform(0.0, 0.1), factor = std::exp(draws.uniform(-2.0, 2.0));
    for (int k = 0; k <= round; ++k) {
      const double added = draws.uniform(0.01, 0.1);
      reports.push_back({.reported = std::exp(0.3 * draws.normal()) * (base + factor * added),
                         .base = base,
                         .added = added});
    }
    const NoiseScales scales = scales_from_reports(reports, 1);
    const double found = penalty(reports, std::log(scales.base), std::log(scales.levels[0]));
    for (double b = -3.0; b <= 3.0; b += 0.05)
      for (double l = -3.0; l <= 3.0; l += 0.05) ASSERT_GE(penalty(reports, b, l), found - 1e-12) << round;
  }
}

TEST(NoiseReports, ReportsOfAnySizeGiveFiniteFactors) {
  for (const double reported : {1e-300, 1e-20, 1.0, 1e20, 1e299})
    for (const double base : {0.0, 1e-12, 1.0, 1e12}) {
      const NoiseScales scales = scales_from_reports({{.reported = reported, .base = base, .added = 0.01},
                                                      {.reported = 1.0, .base = base, .added = 0.0001}},
                                                     1);
      EXPECT_TRUE(std::isfinite(scales.base) && scales.base > 0.0) << reported << ' ' << base;
      EXPECT_TRUE(std::isfinite(scales.levels[0]) && scales.levels[0] > 0.0) << reported << ' ' << base;
    }
}

}  // namespace
}  // namespace acuity::noise_reports_test
