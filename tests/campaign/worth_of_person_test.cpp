// People whose answers are worth next to nothing are not asked (people.least_worth).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "acuity/campaign/campaign.hpp"
#include "support/memory_campaigns.hpp"

namespace acuity::worth_of_person_test {
namespace {

// Anna is asked at the level of experts, Carl at one that is nearly a coin.
class Team : public testing::MemoryCampaign {
 public:
  explicit Team(const std::string& people, int points = 6, double coin = 0.52)
      : MemoryCampaign(
            "[campaign]\nbudget = 200\ninitial = 0\n[pool]\nfile = \"pool.csv\"\n"
            "[target]\nkind = \"binary\"\n" +
                people + fmt::format("[[level]]\nname = \"crowd\"\naccuracy = {}\ncost = 1\n", coin) +
                "[[level]]\nname = \"expert\"\naccuracy = 0.97\ncost = 2\n",
            testing::pool_on_a_line(points, 4.0)) {
    (*this)->add_person({"anna", {"expert"}, true});
    (*this)->add_person({"carl", {"crowd"}, true});
  }
};

double worth(Campaign& campaign, const std::string& worker) {
  return campaign.ask({.worker = worker}).suggestions.at(0).information_per_cost();
}

const std::string several = "[people]\nmax_per_item = 4\n";

TEST(WorthOfPerson, SendsAwayWhoseAnswersTellNextToNothing) {
  Team campaign(several);
  const AskResult carl = campaign->ask({.worker = "carl"});
  EXPECT_TRUE(carl.suggestions.empty());
  EXPECT_EQ(carl.status, AskStatus::nothing_now) << "the campaign goes on with others";
  EXPECT_EQ(carl.ask_instead, "anna");
  EXPECT_NE(carl.reason.find("nothing for carl now: an answer of anna at expert tells"), std::string::npos)
      << carl.reason;
  EXPECT_NE(carl.reason.find("ask anna instead"), std::string::npos) << carl.reason;
  EXPECT_EQ(campaign->state().spent() + campaign->state().escrow(), 0.0);
  EXPECT_EQ(campaign->ask({.worker = "anna"}).suggestions.size(), 1U);
}

// The share is that of the best answers per cost of both, each asked without the rule.
TEST(WorthOfPerson, ComparesTheBestAnswersPerCost) {
  Team anna(several + "least_worth = 0\n", 6, 0.6), carl(several + "least_worth = 0\n", 6, 0.6);
  const double share = worth(*carl, "carl") / worth(*anna, "anna");
  ASSERT_GT(share, 0.01);
  ASSERT_LT(share, 0.2);
  for (const auto& [factor, given] : {std::pair{0.99, 1U}, {1.01, 0U}}) {
    Team campaign(several + fmt::format("least_worth = {}\n", factor * share), 6, 0.6);
    EXPECT_EQ(campaign->ask({.worker = "carl"}).suggestions.size(), given) << factor;
  }
}

TEST(WorthOfPerson, AsksThemWhereNobodyBetterCanBeAsked) {
  Team gone(several);
  gone->add_person({"anna", {"expert"}, false});
  EXPECT_EQ(gone->ask({.worker = "carl"}).suggestions.size(), 1U) << "anna does not take part any more";
  Team had(several, 3);
  EXPECT_EQ(had->ask({.count = 3, .worker = "anna"}).suggestions.size(), 3U);
  EXPECT_EQ(had->ask({.worker = "carl"}).suggestions.size(), 1U) << "anna has had every point";
}

TEST(WorthOfPerson, DoesNotMatterWithoutPeopleOrWithoutTheRule) {
  EXPECT_EQ(Team("")->ask({.worker = "carl"}).suggestions.size(), 1U);
  EXPECT_EQ(Team(several + "least_worth = 0\n")->ask({.worker = "carl"}).suggestions.size(), 1U);
  EXPECT_EQ(Team(several)->ask({.level = "crowd"}).suggestions.size(), 1U) << "nobody is named";
  EXPECT_EQ(Team(several)->ask({.worker = "run", .level = "crowd"}).suggestions.size(), 1U)
      << "programs are no people";
}

// Four people answer in turn, and one of them always says yes. Once that is known he is given nothing, and
// those who are right in 85 of 100 cases are asked to the end.
TEST(WorthOfPerson, EndsWithWhoAlwaysSaysYes) {
  testing::MemoryCampaign campaign(
      "[campaign]\nbudget = 500\ninitial = 0\n[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n"
      "[model]\nfit = 30\n[people]\nmax_per_item = 4\n"
      "[[level]]\nname = \"crowd\"\naccuracy = { guess = 0.8, weight = 4 }\ncost = 1\n",
      testing::pool_on_a_line(60, 6.0));
  const std::vector<std::string> names{"anna", "bert", "dora", "yes"};
  std::map<std::string, int> late;  // answers in the second half
  int refused = 0, refused_others = 0;
  for (int k = 0; k < 200; ++k) {
    const std::string& name = names[static_cast<std::size_t>(k % 4)];
    const AskResult asked = campaign->ask({.worker = name});
    if (asked.suggestions.empty()) {
      if (!asked.ask_instead.empty()) ++(name == "yes" ? refused : refused_others);
      continue;
    }
    if (k >= 100) ++late[name];
    const Suggestion& one = asked.suggestions.front();
    const double truth = std::sin(2.0 * one.inputs[0]) > 0.0 ? 1.0 : -1.0;
    const bool is_wrong = (37 * k) % 100 < 15;
    Answer answer;
    answer.id = one.id;
    answer.values = {name == "yes" ? 1.0 : is_wrong ? -truth : truth};
    campaign->tell({answer});
  }
  EXPECT_GT(refused, 10);
  EXPECT_EQ(refused_others, 0);
  EXPECT_LT(late["yes"], 15);
  EXPECT_GT(late["anna"], 20);
}

}  // namespace
}  // namespace acuity::worth_of_person_test
