// Why a point of the pool is not what is asked for next.
#include <gtest/gtest.h>

#include "support/campaign_desk.hpp"

namespace acuity::testing::explain_point_test {
namespace {

TEST(ExplainPointCommand, ComparesThePointWithWhatAskSuggests) {
  const CampaignDesk desk(price_list_campaign("budget = 100\n", "[acquisition]\nplan = \"none\"\n"));
  desk.done("tell", {"--unasked", "--point", "c", "--level", "fine", "--y", "0.3"});
  const nlohmann::json explained = desk.json("explain", {"--point", "d"});
  const nlohmann::json scores = desk.json("score", {"--top", "8"}).at("rows");
  EXPECT_EQ(explained.at("point"), "d");
  EXPECT_FALSE(explained.contains("id"));
  EXPECT_EQ(explained.at("instead").at("point"), scores.at(0).at("id"));
  for (std::size_t k = 0; k < scores.size(); ++k) {
    if (scores[k].at("id") != "d") continue;
    EXPECT_EQ(explained.at("information_per_cost"), scores[k].at("information_per_cost"));
    EXPECT_GT(explained.at("rank"), 1);
  }
  const std::string text = desk.done("explain", {"--point", "d"});
  EXPECT_NE(text.find("It is not the next choice: point "), std::string::npos) << text;
  EXPECT_NE(text.find("What would make it the choice."), std::string::npos) << text;
}

TEST(ExplainPointCommand, RefusesPointsThatAreNoCandidates) {
  const CampaignDesk desk(price_list_campaign("budget = 100\n"));
  desk.done("tell", {"--unasked", "--point", "c", "--level", "fine", "--y", "0.3"});
  desk.expect_refusal("explain", {"--point", "c"},
                      "c.acuity: point \"c\" was answered (annotation 1), and cannot be asked about");
  desk.expect_refusal("explain", {"--point", "z"},
                      "c.acuity: no pool point is called \"z\", must be one of the pool");
  desk.expect_refusal("explain", {"--point", "a", "--next"},
                      "explain needs either a suggestion's id, --next or --point");
  desk.expect_refusal("explain", {"--point", ""},
                      "explain needs either a suggestion's id, --next or --point");
}

}  // namespace
}  // namespace acuity::testing::explain_point_test
