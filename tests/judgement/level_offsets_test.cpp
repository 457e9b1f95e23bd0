#include "judgement/level_offsets.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/random.hpp"
#include "support/memory_campaigns.hpp"

namespace acuity::level_offsets_test {
namespace {

// Both levels at `points` points, the coarse one out by `bias`.
std::vector<LevelOffset> offsets_with(double bias, int points, std::uint32_t seed) {
  testing::MemoryCampaign campaign(testing::two_level_study("seed = 1", "", "repeat = true"),
                                   testing::pool_on_a_line(20, 10.0));
  numerics::Draws draws(3, numerics::Purpose::data, seed);
  for (Index row = 0; row < points; ++row) {
    const double truth = std::sin(static_cast<double>(row));
    campaign.tell(row, "coarse", truth + bias + 0.5 * draws.normal());
    campaign.tell(row, "fine", truth + 0.1 * draws.normal());
  }
  return level_offsets(campaign->study(), campaign->state());
}

TEST(LevelOffsets, IsTheDifferenceWithTheNoiseOfBoth) {
  testing::MemoryCampaign campaign(testing::two_level_study("", "", "repeat = true"),
                                   testing::pool_on_a_line(5, 4.0));
  campaign.tell(1, "coarse", 2.0);
  campaign.tell(1, "fine", 1.5);
  campaign.tell(2, "fine", 7.0);  // alone there
  const std::vector<LevelOffset> offsets = level_offsets(campaign->study(), campaign->state());
  ASSERT_EQ(offsets.size(), 1U);
  EXPECT_EQ(offsets[0].level, "coarse");
  EXPECT_EQ(offsets[0].other, "fine");
  EXPECT_EQ(offsets[0].points, 1);
  EXPECT_NEAR(offsets[0].offset, 0.5, 1e-12);
  EXPECT_NEAR(offsets[0].standard_error, std::sqrt(0.25 + 0.01), 1e-12);
  EXPECT_EQ(to_text(offsets[0]), "coarse reads 0.5 above fine (-0.499 to 1.5, from 1 point)");
}

TEST(LevelOffsets, FindsABias) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const std::vector<LevelOffset> biased = offsets_with(1.5, 8, seed);
    ASSERT_EQ(biased.size(), 1U);
    EXPECT_TRUE(biased[0].is_bias()) << seed;
    EXPECT_GT(biased[0].low(), 0.0) << seed;
  }
}

// Where there is no bias, offsets in standard errors are standard normal: bounds are three sampling errors of
// mean and spread over 300 campaigns, and 0.8 alarms are expected (more than 4: once in a thousand).
TEST(LevelOffsets, StandardErrorsAreThoseOfTheNoise) {
  double mean = 0.0, squares = 0.0;
  int alarms = 0;
  constexpr int campaigns = 300;
  for (std::uint32_t seed = 0; seed < campaigns; ++seed) {
    const LevelOffset fair = offsets_with(0.0, 8, seed).at(0);
    const double score = fair.offset / fair.standard_error;
    mean += score / campaigns;
    squares += score * score / campaigns;
    alarms += fair.is_bias();
  }
  EXPECT_NEAR(mean, 0.0, 3.0 / std::sqrt(campaigns));
  EXPECT_NEAR(std::sqrt(squares), 1.0, 3.0 / std::sqrt(2.0 * campaigns));
  EXPECT_LE(alarms, 4);
}

TEST(LevelOffsets, ThereAreNoneWhereNoPointIsShared) {
  testing::MemoryCampaign campaign(testing::two_level_study(), testing::pool_on_a_line(5, 4.0));
  campaign.tell(0, "coarse", 2.0);
  campaign.tell(1, "fine", 2.0);
  EXPECT_TRUE(level_offsets(campaign->study(), campaign->state()).empty());
}

}  // namespace
}  // namespace acuity::level_offsets_test
