// Everything that a person can mistype is corrected, and the books follow.
#include <gtest/gtest.h>

#include "support/campaign_desk.hpp"

namespace acuity::testing::amend_test {
namespace {

using Json = nlohmann::json;

TEST(Amend, CorrectsAMistypedCostAndTheMoneyFollows) {
  const CampaignDesk desk(price_list_campaign("budget = 60\n"));
  desk.ask();
  desk.done("tell", {"1", "55", "--cost", "5200"});
  EXPECT_EQ(desk.status().at("free"), -5140.0);
  const Json row =
      desk.json("amend", {"1", "--cost", "52", "--reason", "a zero too many"}).at("suggestions").at(0);
  EXPECT_EQ(row.at("change"), "cost 5200 -> 52");
  EXPECT_EQ(desk.status().at("spent"), 52.0);
  EXPECT_EQ(desk.status().at("free"), 8.0);
  EXPECT_EQ(desk.run("ask").exit_code, 0) << "the campaign goes on";
  std::vector<double> costs;
  for (const Json& event : desk.events())
    if (event.at("event") == "told" || event.at("event") == "amended") costs.push_back(event.at("cost"));
  EXPECT_EQ(costs, (std::vector{5200.0, 52.0})) << "both versions stay in the log";
}

TEST(Amend, CorrectsValueNoiseLevelAndPointInOneEvent) {
  const CampaignDesk desk(price_list_campaign("budget = 60\n"));
  desk.ask();
  desk.done("tell", {"1", "0.5"});
  desk.done("amend", {"1", "--y", "0.25", "--level", "fine", "--point", "c", "--noise-sd", "0.2", "--cost",
                      "10", "--reason", "two sheets mixed up"});
  const auto rows = desk.annotations();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("point"), "c");
  EXPECT_EQ(rows[0].at("level"), "fine");
  EXPECT_EQ(value(rows[0], "y"), 0.25);
  EXPECT_EQ(value(rows[0], "cost"), 10.0);
  EXPECT_NEAR(value(rows[0], "noise_variance"), 0.04, 1e-15);
  int amended = 0;
  for (const Json& event : desk.events()) amended += event.at("event") == "amended" ? 1 : 0;
  EXPECT_EQ(amended, 1);
  bool asked_again = false;
  for (const Json& suggestion : desk.ask({"-n", "5"})) {
    EXPECT_NE(suggestion.at("point"), "c") << "it is annotated";
    asked_again = asked_again || suggestion.at("point") == "a";
  }
  EXPECT_TRUE(asked_again) << "it never was";
}

TEST(Amend, TheCorrectedAnswerGivesTheModelThatItWouldHaveGivenAtOnce) {
  const CampaignDesk right(price_list_campaign("budget = 60\n")), wrong(price_list_campaign("budget = 60\n"));
  for (const CampaignDesk* desk : {&right, &wrong}) desk->ask();
  right.folder.write("a.csv", "id,point,level,y,cost\n1,c,fine,0.25,10\n");
  right.done("tell", {"--csv", "a.csv"});
  wrong.done("tell", {"1", "0.5"});
  wrong.ask();  // builds nothing that could be kept, but takes another way through the log
  wrong.done("release", {"2"});
  wrong.done("amend",
             {"1", "--y", "0.25", "--level", "fine", "--point", "c", "--cost", "10", "--reason", "r"});
  EXPECT_EQ(right.done("score", {"--format", "csv"}), wrong.done("score", {"--format", "csv"}));
  EXPECT_EQ(right.status().at("spent"), wrong.status().at("spent"));
}

TEST(Amend, ARefundIsAnEventWithAReasonAndIsNotPaidTwice) {
  const CampaignDesk desk(price_list_campaign("budget = 60\n"));
  desk.ask({"-n", "2"});
  desk.done("tell", {"1", "0.5", "--cost", "12"});
  desk.done("fail", {"2", "--cost", "7", "--reason", "node died"});
  desk.done("amend", {"1", "--refund", "5", "--reason", "credited"});
  desk.done("amend", {"1", "--refund", "5", "--reason", "credited"});
  EXPECT_EQ(desk.status().at("spent"), 14.0) << "a script may repeat it";
  desk.done("amend", {"2", "--refund", "7", "--reason", "not our fault"});
  EXPECT_EQ(desk.status().at("spent"), 7.0);
  desk.done("amend", {"1", "--retract", "--reason", "wrong wing"});
  EXPECT_EQ(desk.status().at("spent"), 7.0) << "a retraction alone refunds nothing";
  desk.expect_refusal("amend", {"1", "--refund", "8", "--reason", "more"},
                      "c.acuity: 13 of 1 would be refunded, must be at most 12, what it was charged");
  desk.expect_refusal("amend", {"1", "--cost", "3", "--reason", "less"},
                      "c.acuity: 5 of 1 are refunded, must be at most 3, what it was charged");
  desk.expect_refusal("amend", {"2", "--refund", "0", "--reason", "r"},
                      "c.acuity: the refund of 2 is 0, must be above 0");
}

TEST(Amend, TakesBackAReportedNoise) {
  const CampaignDesk desk(price_list_campaign());
  desk.ask();
  desk.done("tell", {"1", "0.5", "--noise-sd", "30"});
  desk.done("amend", {"1", "--noise-sd", "declared", "--reason", "it was a percentage"});
  EXPECT_EQ(value(desk.annotations().at(0), "noise_variance"), 0.25);
}

TEST(Amend, SaysThatAnotherLevelStillCostsTheSame) {
  const CampaignDesk desk(price_list_campaign());
  desk.ask();
  desk.done("tell", {"1", "0.5"});
  EXPECT_EQ(desk.run("amend", {"1", "--level", "fine", "--reason", "r"}).err,
            "note: 1 is still charged 1; if the other level cost something else: amend --cost\n");
}

TEST(Amend, AcceptsARepeatedTellOfEitherVersion) {
  const CampaignDesk desk(price_list_campaign());
  desk.ask();
  desk.done("tell", {"1", "0.5", "--cost", "3"});
  desk.done("amend", {"1", "--cost", "2", "--reason", "r"});
  for (const char* cost : {"3", "2"})
    EXPECT_EQ(desk.json("tell", {"1", "0.5", "--cost", cost}).at("answers").at(0).at("change"), "none");
  EXPECT_EQ(desk.run("tell", {"1", "0.5", "--cost", "4"}).exit_code, 2);
  EXPECT_EQ(desk.status().at("spent"), 2.0);
}

TEST(Amend, RefusesWhatCannotBeWithOneSentence) {
  const CampaignDesk desk(price_list_campaign());
  desk.ask({"-n", "2"});
  desk.done("tell", {"1", "0.5"});
  desk.expect_refusal("amend", {"1", "--point", "z", "--reason", "r"},
                      "c.acuity: --point is \"z\", must be the id of a pool point");
  desk.expect_refusal("amend", {"1", "--noise-sd", "-1", "--reason", "r"},
                      "c.acuity: --noise-sd of 1 is \"-1\", must be a finite number above 0, or declared");
  desk.expect_refusal("amend", {"1", "--accuracy", "0.9", "--reason", "r"},
                      "c.acuity: --accuracy is for binary targets, the study's are real; must be --noise-sd");
  desk.expect_refusal("amend", {"1", "--cost", "x", "--reason", "r"},
                      "--cost is \"x\", must be a number, 0 or more");
  desk.expect_refusal("amend", {"1", "--inputs", "1", "2", "--reason", "r"},
                      "c.acuity: the answer to 1 has 2 inputs, must have 1");
  desk.expect_refusal("amend", {"2", "--cost", "3", "--reason", "r"},
                      "c.acuity: suggestion 2 is pending, must have an answer to be amended");
  EXPECT_EQ(desk.run("amend", {"1", "--level", "fin", "--reason", "r"}).exit_code, 2);
  EXPECT_EQ(desk.run("amend", {"1", "--alpha", "4", "--reason", "r"}).exit_code, 2);
}

}  // namespace
}  // namespace acuity::testing::amend_test
