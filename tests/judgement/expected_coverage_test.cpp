#include "judgement/expected_coverage.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "acuity/campaign/campaign.hpp"
#include "judgement/verdict_parts.hpp"
#include "support/program.hpp"

namespace acuity::testing::expected_coverage_test {
namespace {

// A campaign of one level about f(a, b), 60 points at random.
Campaign asked_about(const Folder& folder, double (*f)(double, double), const std::string& model = "",
                     int answers = 40) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::normal_distribution<double> normal;
  std::string pool = "a,b\n";
  for (int k = 0; k < 150; ++k) pool += fmt::format("{:.6f},{:.6f}\n", uniform(random), uniform(random));
  folder.write("pool.csv", pool);
  Campaign campaign(
      Study::open(folder.write("study.toml", "[campaign]\nseed = 1\n[pool]\nfile = \"pool.csv\"\n" + model +
                                                 "[[level]]\nname = \"only\"\nnoise_sd = "
                                                 "0.02\ncost = 1\n")),
      make_memory_event_store(), {.threads = 1});
  for (int k = 0; k < answers; ++k)
    for (const Suggestion& asked : campaign.ask().suggestions) {
      const double* x = campaign.study().pool().point(asked.row);
      Answer answer;
      answer.id = asked.id;
      answer.values = {f(x[0], x[1]) + 0.02 * normal(random)};
      campaign.tell({answer});
    }
  campaign.ask();
  return campaign;
}

double smooth(double a, double b) {
  return std::sin(3.0 * a) + b * b + a * b;
}
double creased(double a, double b) {
  return std::abs(a - 0.4) * 3.0 + std::abs(b - 0.6) * 2.0 + std::abs(a + b - 1.1) * 2.0;
}

TEST(ExpectedCoverage, IsLargerWhereFIsSmootherThanTheModelTakesItToBe) {
  const Folder one, other;
  const Campaign of_smooth = asked_about(one, smooth), of_creased = asked_about(other, creased);
  const auto high = expected_coverage(of_smooth.study(), of_smooth.state());
  const auto low = expected_coverage(of_creased.study(), of_creased.state());
  ASSERT_TRUE(high && low);
  EXPECT_GT(high->share, 0.96);
  EXPECT_GT(high->is_wide, 0.6);
  EXPECT_LT(high->factor, 1.0);
  EXPECT_LT(low->share, 0.955);
  EXPECT_LT(low->is_wide, high->is_wide);
  for (const auto& found : {high, low}) {
    EXPECT_LT(found->low, found->factor);
    EXPECT_GT(found->high, found->factor);
  }
}

TEST(ExpectedCoverage, IsTheSameAtEveryLook) {
  const Folder folder;
  const Campaign campaign = asked_about(folder, smooth);
  const auto first = expected_coverage(campaign.study(), campaign.state()),
             second = expected_coverage(campaign.study(), campaign.state());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->share, second->share);
  EXPECT_EQ(first->is_wide, second->is_wide);
}

TEST(ExpectedCoverage, NeedsAModelThatLearnsAndAFewAnswers) {
  const Folder one, other;
  const Campaign given =
      asked_about(one, smooth, "[model]\namplitude = 1\nlengthscale = 1\nfit = \"never\"\n");
  EXPECT_FALSE(expected_coverage(given.study(), given.state()));
  const Campaign young = asked_about(other, smooth, "", 6);
  EXPECT_FALSE(expected_coverage(young.study(), young.state()));
}

// What is neither probable nor improbable is not said.
TEST(ExpectedCoverage, IsAWordWhereAnAuditShowedNothing) {
  using Calibration = CalibrationVerdict::Calibration;
  const auto told = [](double is_wide) {
    CalibrationVerdict verdict;
    take_expected(ExpectedCoverage{.factor = 0.7, .low = 0.6, .high = 0.8, .is_wide = is_wide}, verdict);
    return verdict;
  };
  EXPECT_EQ(told(0.8).calibration, Calibration::too_wide);
  EXPECT_EQ(told(0.8).factor, 0.7);
  EXPECT_EQ(told(0.68).calibration, Calibration::cannot_tell);
  EXPECT_EQ(told(0.3).calibration, Calibration::good);
  EXPECT_EQ(told(0.3).factor, 1.0);
}

}  // namespace
}  // namespace acuity::testing::expected_coverage_test
