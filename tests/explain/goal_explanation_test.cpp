// What explain says of goals and of levels with bias.
#include "explain/goal_explanation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "explain/explanation.hpp"
#include "support/memory_campaigns.hpp"
#include "text/json.hpp"
#include "views/explanation_json.hpp"

namespace acuity::testing::goal_explanation_test {
namespace {

std::string study_of(const std::string& coarse, const std::string& goal) {
  return with_given_model("[campaign]\nseed = 1\nbudget = 200\nunit = \"h\"\n[pool]\nfile = \"pool.csv\"\n" +
                          goal + "[[level]]\nname = \"coarse\"\nnoise_sd = 0.05\ncost = 1\n" + coarse +
                          "[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 6\n");
}

class Asked : public MemoryCampaign {
 public:
  Asked(const std::string& coarse, const std::string& goal)
      : MemoryCampaign(study_of(coarse, goal), pool_on_a_line(30, 8.0)) {
    for (const Index row : {Index{2}, Index{14}, Index{27}}) tell(row, "fine", 0.1);
    go(4, [](const Suggestion& asked) { return std::sin(asked.inputs[0]); });
  }
};

TEST(GoalExplanation, TheFallIsTheInformationAndItsSharesAddUp) {
  for (const std::string coarse : {"", "bias = { offset_sd = 0.5, smooth_sd = 0.2 }\n"}) {
    Asked campaign(coarse, "[goal]\nbox = { x = [1, 3] }\npoints = 3\n");
    for (const std::int64_t id : {4, 5, 6, 7}) {
      const Explanation found = explain(*campaign, id, 1);
      ASSERT_TRUE(found.goal);
      EXPECT_NEAR(found.goal->fall, found.chosen.information, 1e-9 * found.chosen.information);
      EXPECT_EQ(found.goal->points, 3);
      ASSERT_EQ(found.goal->places.size(), 3U);
      double share = 0.0;
      for (const GoalExplanation::Place& place : found.goal->places) {
        share += place.share;
        EXPECT_LT(place.sd_after, place.sd_before);
        EXPECT_GE(place.inputs[0], 1.0);
        EXPECT_LE(place.inputs[0], 3.0);
      }
      EXPECT_NEAR(share, 1.0, 1e-12);
      EXPECT_EQ(found.bias.has_value(), !coarse.empty() && found.chosen.level.name == "coarse");
    }
  }
}

TEST(GoalExplanation, SaysInWordsWhatTheValueIs) {
  Asked campaign("bias = { offset_sd = 0.5, smooth_sd = 0.2 }\n", "[goal]\nbox = { x = [1, 3] }\n");
  const Explanation found = explain(*campaign, 5, 1);
  const std::string text = to_text(found, campaign->study());
  EXPECT_NE(text.find("lowers the mean variance over the goal by "), std::string::npos) << text;
  EXPECT_NE(text.find(" per h.\n"), std::string::npos) << text;
  EXPECT_NE(text.find("It tells most about\n  x = "), std::string::npos) << text;
  const Json json = Json::parse(explanation_json(found, campaign->study()));
  EXPECT_EQ(json.at("unit"), "variance");
  EXPECT_EQ(json.at("goal").at("tells_most").size(), 3U);
  if (found.chosen.level.name == "coarse") {
    EXPECT_NE(text.find("is taken to read"), std::string::npos) << text;
  }
}

TEST(GoalExplanation, WithoutAGoalNothingIsAdded) {
  Asked campaign("", "");
  const Explanation found = explain(*campaign, 5, 1);
  EXPECT_FALSE(found.goal);
  EXPECT_FALSE(found.bias);
  EXPECT_EQ(to_text(found, campaign->study()).find("goal"), std::string::npos);
}

}  // namespace
}  // namespace acuity::testing::goal_explanation_test
