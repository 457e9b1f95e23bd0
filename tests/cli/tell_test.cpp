// Answers one by one, corrections, and work that brought nothing.
#include <gtest/gtest.h>

#include <cmath>

#include "support/campaign_desk.hpp"

namespace acuity::testing::tell_test {
namespace {

TEST(Tell, TakesANegativeNumberAsItStands) {
  const CampaignDesk desk(price_list_campaign());
  desk.ask({"-n", "3"});
  desk.done("tell", {"1", "-0.3"});
  desk.done("tell", {"2", "-.5e-1"});
  desk.done("tell", {"3", "-1e3", "--cost", "0.5"});
  const auto rows = desk.annotations();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(value(rows[0], "y"), -0.3);
  EXPECT_EQ(value(rows[1], "y"), -0.05);
  EXPECT_EQ(value(rows[2], "y"), -1000.0);
  EXPECT_EQ(value(rows[2], "cost"), 0.5);
}

TEST(Tell, AnIdenticalTellAgainChangesNothing) {
  const CampaignDesk desk(price_list_campaign("budget = 10\n"));
  desk.ask({"-n", "2"});
  desk.done("tell", {"1", "0.1"});
  desk.done("tell", {"2", "0.2", "--cost", "3", "--noise-sd", "0.25"});
  const std::string events = desk.done("export", {"--events", "-"});
  EXPECT_EQ(desk.json("tell", {"1", "0.1"}).at("answers").at(0).at("change"), "none");
  EXPECT_EQ(desk.json("tell", {"1", "1e-1", "--cost", "1"}).at("answers").at(0).at("change"), "none");
  EXPECT_EQ(desk.json("tell", {"2", "0.2"}).at("answers").at(0).at("change"), "none");
  desk.done("tell", {"2", "0.2", "--cost", "3", "--noise-sd", "0.25"});
  EXPECT_EQ(desk.done("export", {"--events", "-"}), events);
  EXPECT_EQ(desk.status().at("spent"), 4.0);
}

TEST(Tell, AContradictionIsRefusedAndPointsToAmend) {
  const CampaignDesk desk(price_list_campaign());
  desk.ask();
  desk.done("tell", {"1", "0.1", "--noise-sd", "0.25"});
  desk.expect_refusal(
      "tell", {"1", "0.2"},
      "c.acuity: suggestion 1 already has the answer 0.1; found 0.2; to correct it use amend");
  desk.expect_refusal(
      "tell", {"1", "0.1", "0.1"},
      "c.acuity: suggestion 1 already has the answer 0.1; found 0.1, 0.1; to correct it use amend");
  const std::string other =
      "c.acuity: suggestion 1 already has the answer 0.1; found another cost, noise, point or level; to "
      "correct it use "
      "amend";
  desk.expect_refusal("tell", {"1", "0.1", "--cost", "2"}, other);
  desk.expect_refusal("tell", {"1", "0.1", "--noise-sd", "0.5"}, other);
}

TEST(Tell, NothingThatIsNoFiniteNumberIsTaken) {
  const CampaignDesk desk(price_list_campaign());
  desk.expect_refusal("tell", {"1", "0.1"}, "c.acuity: there is no suggestion 1, nothing was asked for yet");
  desk.ask();
  for (const char* y : {"nan", "inf", "-inf", "-nan", "abc", "0,5,1", "1e999", "0.1x", "-"})
    desk.expect_refusal("tell", {"1", y},
                        "c.acuity: the answer to 1 is \"" + std::string(y) + "\", must be a finite number");
  desk.expect_refusal("tell", {"1", ""}, "c.acuity: the answer to 1 is missing, must be a finite number");
  desk.expect_refusal("tell", {"1"}, "c.acuity: the answer to 1 is missing, must be a number");
  desk.expect_refusal("tell", {"1", "1e200"},
                      "c.acuity: the answer to 1 is 1e+200, too large to compute with; must be rescaled");
  desk.expect_refusal("tell", {"2", "0.1"}, "c.acuity: there is no suggestion 2, must be one of 1 to 1");
  desk.expect_refusal("tell", {"-1", "0.1"}, "c.acuity: there is no suggestion -1, must be one of 1 to 1");
  desk.expect_refusal("tell", {"1", "0.1", "--cost", "-1"},
                      "c.acuity: the cost of 1 is -1, must be a finite number, 0 or more");
  desk.expect_refusal("tell", {"1", "0.1", "--cost", "inf"},
                      "c.acuity: the cost of 1 is inf, must be a finite number, 0 or more");
  desk.expect_refusal("tell", {"1", "0.1", "--noise-sd", "0"},
                      "c.acuity: --noise-sd of 1 is 0, must be a finite number above 0");
  desk.expect_refusal("tell", {"1", "0.1", "--accuracy", "0.9"},
                      "c.acuity: --accuracy is for binary targets, the study's are real; must be --noise-sd");
  desk.expect_refusal("tell", {}, "tell needs either a suggestion's id and an answer, or --csv with a file");
  EXPECT_EQ(desk.run("tell", {"x", "0.1"}).exit_code, 2);
  EXPECT_EQ(desk.status().at("pending"), 1);
}

TEST(Tell, ADryRunSaysWhatWouldChangeAndChangesNothing) {
  const CampaignDesk desk(price_list_campaign());
  desk.ask();
  const std::string before = desk.done("export", {"--events", "-"});
  const auto json = desk.json("tell", {"1", "0.5", "--cost", "2", "--dry-run"});
  EXPECT_EQ(json.at("dry_run"), true);
  EXPECT_EQ(json.at("answers").at(0).at("change"), "recorded");
  EXPECT_EQ(json.at("answers").at(0).at("cost"), 2);
  EXPECT_EQ(desk.done("export", {"--events", "-"}), before);
}

TEST(Tell, ReplicatesAreSeveralAnnotationsAndCostSeveralTimesAsMuch) {
  const CampaignDesk desk(price_list_campaign());
  desk.ask({"-n", "2"});
  desk.done("tell", {"1", "0.1", "0.3", "-0.2"});
  desk.done("tell", {"2", "0.1", "0.3", "--cost", "1.25"});
  EXPECT_EQ(desk.status().at("annotations"), 5);
  EXPECT_EQ(desk.status().at("spent"), 4.25) << "three times 1, then what was said for both";
  const auto rows = desk.annotations();
  ASSERT_EQ(rows.size(), 5U);
  double sum = 0.0;
  for (const auto& row : rows) sum += value(row, "cost");
  EXPECT_EQ(sum, 4.25);
  EXPECT_EQ(desk.events().back().at("y"), (nlohmann::json{0.1, 0.3}));
}

TEST(Tell, AReportedNoiseIsThatAnswersOwn) {
  const CampaignDesk desk(price_list_campaign());
  desk.ask();
  desk.done("tell", {"1", "0.1", "--noise-sd", "0.25"});
  EXPECT_EQ(value(desk.annotations().at(0), "noise_variance"), 0.0625);
  EXPECT_EQ(desk.annotations().at(0).at("level"), "coarse") << "which it keeps";
  const auto levels = desk.status().at("levels");
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_EQ(levels.at(0).at("level"), "coarse");
  EXPECT_EQ(desk.done("status", {"--details"}).find("reported"), std::string::npos);
}

TEST(Tell, AReportedAccuracyIsThatAnswersOwnAndItsLevelStays) {
  const CampaignDesk desk(binary_campaign());
  desk.ask();
  desk.done("tell", {"1", "yes", "--accuracy", "0.9"});
  EXPECT_EQ(value(desk.annotations().at(0), "accuracy"), 0.9);
  EXPECT_EQ(desk.annotations().at(0).at("level"), "crowd");
}

TEST(Tell, StatusAndCheckCompareReportedNoiseWithTheDeclared) {
  const CampaignDesk desk(price_list_campaign("", "[model]\nfit = 1000\n"));
  desk.ask({"-n", "5"});
  for (const char* id : {"1", "2", "3", "4", "5"}) desk.done("tell", {id, "0.1", "--noise-sd", "1"});
  const std::string sentence =
      "level coarse: answers report 2.0 times its noise_sd (1 instead of 0.5); choices use 0.82\n";
  EXPECT_NE(desk.done("status", {"--details"}).find("\nnoise as answers report it\n" + sentence),
            std::string::npos);
  EXPECT_NE(desk.done("check").find("  " + sentence), std::string::npos);
  EXPECT_NE(desk.done("explain", {"--next"}).find("  " + sentence), std::string::npos);
  const auto found = desk.status().at("reported_noise");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.at(0).at("level"), "coarse");
  EXPECT_EQ(found.at(0).at("count"), 5);
  EXPECT_NEAR(found.at(0).at("declared").get<double>(), 0.5, 1e-15);
  EXPECT_NEAR(found.at(0).at("reported").get<double>(), 1.0, 1e-15);
  EXPECT_NEAR(found.at(0).at("used").get<double>(), 0.5 * std::pow(2.0, 5.0 / 7.0), 1e-12);
  EXPECT_EQ(desk.json("explain", {"--next"}).at("reported_noise"), found);
}

TEST(Tell, StatusAndCheckCompareReportedCostsWithTheDeclared) {
  const CampaignDesk desk(price_list_campaign("", "[model]\nfit = 1000\n"));
  EXPECT_TRUE(desk.status().at("reported_cost").empty());
  desk.ask({"-n", "2"});
  for (const char* id : {"1", "2"}) desk.done("tell", {id, "0.1", "--cost", "2"});
  const std::string sentence = "level coarse: answers cost 2 on average, declared 1; choices use 1.4\n";
  EXPECT_NE(desk.done("status", {"--details"}).find("\ncosts as answers report them\n" + sentence),
            std::string::npos);
  EXPECT_NE(desk.done("check").find("  " + sentence), std::string::npos);
  EXPECT_NE(desk.done("explain", {"--next"}).find("  " + sentence), std::string::npos);
  const auto found = desk.status().at("reported_cost");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.at(0).at("level"), "coarse");
  EXPECT_EQ(found.at(0).at("count"), 2);
  EXPECT_EQ(found.at(0).at("declared"), 1.0);
  EXPECT_EQ(found.at(0).at("reported"), 2.0);
  EXPECT_NEAR(found.at(0).at("expected").get<double>(), 1.4, 1e-12);
  EXPECT_GT(found.at(0).at("reserved").get<double>(), 2.0);
  EXPECT_EQ(desk.json("explain", {"--next"}).at("reported_cost"), found);
}

// What was exported begins another campaign: levels, costs and the noise that was reported are the same.
TEST(Tell, AnExportBeginsAnotherCampaignWithTheSameAnswers) {
  const CampaignDesk desk(price_list_campaign("budget = 40\n", "[model]\nfit = 1000\n"));
  desk.ask({"-n", "5"});
  desk.done("tell", {"2", "0.1", "--noise-sd", "1"});
  desk.done("tell", {"1", "0.3", "0.4"});
  desk.done("tell", {"3", "-0.2", "--noise-sd", "0.9", "--cost", "1.5"});
  desk.done("export", {"--annotations", (desk.folder.path() / "known.csv").string()});
  desk.folder.write("second.toml",
                    with_given_model(price_list_campaign("budget = 40\ninitial = { file = \"known.csv\" }\n",
                                                         "[model]\nfit = 1000\n")));
  const ProgramResult made =
      run_acuity({"init", "second.acuity", "--study", "second.toml"}, desk.folder.path());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto rows = [&](const std::string& campaign) {
    auto all = csv_rows(run_acuity({"export", campaign, "--annotations", "-"}, desk.folder.path()).out);
    for (auto& row : all)
      for (const char* of_the_campaign : {"id", "told_at", "worker"}) row.erase(of_the_campaign);
    return all;
  };
  EXPECT_EQ(rows("second.acuity"), rows("c.acuity"));
  const auto status = nlohmann::json::parse(
      run_acuity({"status", "second.acuity", "--format", "json"}, desk.folder.path()).out);
  EXPECT_EQ(status.at("reported_noise"), desk.status().at("reported_noise"));
  EXPECT_EQ(status.at("levels"), desk.status().at("levels"));
  // And `score` reads it: the next choice is that of the second campaign.
  const ProgramResult scored =
      run_acuity({"score", "study.toml", "--annotations", "known.csv", "--top", "1", "--format", "json"},
                 desk.folder.path());
  ASSERT_EQ(scored.exit_code, 0) << scored.err;
  const auto best = nlohmann::json::parse(scored.out).at("rows").at(0);
  const auto next =
      nlohmann::json::parse(run_acuity({"ask", "second.acuity", "--format", "json"}, desk.folder.path()).out)
          .at("suggestions")
          .at(0);
  EXPECT_EQ(best.at("level"), next.at("level"));
  EXPECT_NEAR(best.at("information").get<double>(), next.at("information").get<double>(), 1e-9);
}

TEST(Tell, ASurprisingAnswerIsTakenWithANote) {
  const CampaignDesk desk(price_list_campaign());
  desk.ask({"-n", "2"});
  EXPECT_EQ(desk.run("tell", {"1", "1"}).err, "");
  const ProgramResult result = desk.run("tell", {"2", "-40"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.err.starts_with("note: 2 is -")) << result.err;
}

TEST(Tell, ALateAnswerIsStoredAndChargedAndWhatWasAskedMeanwhileStaysPending) {
  const CampaignDesk desk(price_list_campaign("budget = 3\n"), "case,x\na,0\n");
  desk.ask();
  desk.done("release", {"1"});
  EXPECT_EQ(desk.status().at("free"), 3.0) << "nothing was charged";
  EXPECT_EQ(desk.ask().at(0).at("point"), "a");
  desk.done("tell", {"1", "0.5"});
  const auto status = desk.status();
  EXPECT_EQ(status.at("spent"), 1.0);
  EXPECT_EQ(status.at("annotations"), 1);
  EXPECT_EQ(status.at("pending_ids"), nlohmann::json{2});
  desk.done("fail", {"2"});
  desk.done("tell", {"2", "0.75", "--cost", "0.5"});
  EXPECT_EQ(desk.status().at("spent"), 1.5);
  EXPECT_EQ(desk.status().at("annotations"), 2);
  EXPECT_EQ(desk.status().at("failed"), 0);
}

TEST(Tell, ClassesAreToldByNameOrByNumber) {
  const CampaignDesk desk(binary_campaign());
  desk.ask({"-n", "6"});
  int id = 0;
  for (const char* y : {"yes", "no", "1", "-1", "0"}) desk.done("tell", {std::to_string(++id), y});
  std::vector<double> told;
  for (const auto& row : desk.annotations()) told.push_back(value(row, "y"));
  EXPECT_EQ(told, (std::vector<double>{1, -1, 1, -1, -1}));
  EXPECT_EQ(value(desk.annotations().at(0), "accuracy"), 0.8);
  for (const char* y : {"maybe", "0.5", "2", "nan"})
    desk.expect_refusal("tell", {"6", y},
                        "c.acuity: the answer to 6 is \"" + std::string(y) +
                            "\", must be \"no\" or \"yes\" (or -1 or 1, or 0 or 1)");
  desk.expect_refusal("tell", {"6", "yes", "--noise-sd", "1"},
                      "c.acuity: --noise-sd is for real targets, the study's are binary; must be --accuracy");
  desk.expect_refusal("tell", {"6", "yes", "--accuracy", "0.3"},
                      "c.acuity: --accuracy of 6 is 0.3, must be a number from 0.5 to 1");
  desk.done("tell", {"6", "yes", "--accuracy", "0.9"});
  desk.done("amend", {"1", "--y", "no", "--reason", "misread"});
  EXPECT_EQ(value(desk.annotations().at(0), "y"), -1.0);
}

TEST(TellUnasked, RecordsAnAnswerAtAPointOrAtInputsWithOneEvent) {
  const CampaignDesk desk(price_list_campaign("budget = 30\n"));
  const auto row =
      desk.json("tell", {"--unasked", "--point", "c", "--level", "fine", "--y", "-0.25"}).at("answers").at(0);
  EXPECT_EQ(row.at("id"), 1);
  EXPECT_EQ(row.at("point"), "c");
  EXPECT_EQ(row.at("cost"), 10.0);
  desk.done("tell",
            {"--unasked", "--inputs", "x=2.5", "--level", "coarse", "--y", "0.5", "0.7", "--cost", "3"});
  desk.done("tell", {"--unasked", "--inputs", "x=3", "--y", "0.1", "--noise-sd", "0.2"});
  const auto events = desk.events();
  ASSERT_EQ(events.size(), 4U) << "the first created the campaign";
  EXPECT_EQ(events[1].at("event"), "told");
  EXPECT_EQ(events[1].at("unasked"), true);
  EXPECT_EQ(events[3].at("point"), "d") << "these are the inputs of a point of the pool";
  const auto rows = desk.annotations();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(value(rows[1], "x"), 2.5);
  EXPECT_EQ(rows[1].at("point"), "");
  EXPECT_EQ(rows[3].at("level"), "");
  EXPECT_NEAR(value(rows[3], "noise_variance"), 0.04, 1e-15);
  EXPECT_EQ(desk.status().at("spent"), 13.0);
  EXPECT_EQ(desk.status().at("reported_cost").size(), 0U) << "they were not bought here";
  for (const auto& suggestion : desk.ask({"-n", "3"})) {
    EXPECT_NE(suggestion.at("point"), "c");
    EXPECT_NE(suggestion.at("point"), "d");
    EXPECT_GE(suggestion.at("id").get<int>(), 4);
  }
  desk.done("amend", {"1", "--y", "0.25", "--reason", "sign"});
  EXPECT_EQ(value(desk.annotations()[0], "y"), 0.25);
  desk.expect_refusal("explain", {"1"}, "c.acuity: answer 1 was not asked for, and was never chosen");
  EXPECT_EQ(desk.run("verify").exit_code, 0);
}

TEST(TellUnasked, ATableIsRecordedAsAWholeOrNotAtAll) {
  const CampaignDesk desk(price_list_campaign("budget = 12\n"));
  desk.folder.write("known.csv", "x,y,level\n1,0.1,coarse\n2.5,0.2,fine\n");
  desk.folder.write("wrong.csv", "x,y,level\n1,0.1,coarse\n2.5,nan,fine\n");
  desk.expect_refusal("tell", {"--unasked", "--csv", "wrong.csv"},
                      "wrong.csv:3: column \"y\" is \"nan\", must be a finite number");
  desk.done("tell", {"--unasked", "--csv", "known.csv", "--dry-run"});
  EXPECT_EQ(desk.events().size(), 1U);
  desk.done("tell", {"--unasked", "--csv", "known.csv"});
  EXPECT_EQ(desk.events().size(), 3U);
  EXPECT_EQ(desk.status().at("spent"), 11.0);
  const ProgramResult over = desk.run("tell", {"--unasked", "--point", "h", "--level", "fine", "--y", "1"});
  EXPECT_EQ(over.exit_code, 0);
  EXPECT_NE(over.err.find("the budget is overrun by 9 hours"), std::string::npos) << over.err;
}

TEST(TellUnasked, SaysWhatIsMissing) {
  const CampaignDesk desk(price_list_campaign());
  const std::string at = "c.acuity: the unasked answer has neither ";
  desk.expect_refusal("tell", {"--unasked", "--level", "fine", "--y", "1"},
                      at + "a point nor inputs, must have one of them");
  desk.expect_refusal("tell", {"--unasked", "--point", "a", "--y", "1"},
                      at + "a level nor a noise, must have one of them");
  desk.expect_refusal("tell", {"--unasked", "--point", "z", "--level", "fine", "--y", "1"},
                      "c.acuity: --point is \"z\", must be one of the pool's");
  desk.expect_refusal("tell", {"--unasked", "--inputs", "y=1", "--level", "fine", "--y", "1"},
                      "--inputs has \"y\", which is no input, must be x=..., with all inputs");
  desk.expect_refusal("tell", {"--unasked", "--inputs", "x=one", "--level", "fine", "--y", "1"},
                      "--inputs has no number for \"x\", must be x=..., with all inputs");
  desk.expect_refusal("tell", {"--unasked", "--point", "a", "--level", "fine"},
                      "tell --unasked needs either an answer, --y, or --csv with a file");
  desk.expect_refusal("tell", {"1", "0.5", "--point", "a"},
                      "--point, --inputs, --level, --alpha and --y are for --unasked, must come with it");
  desk.expect_refusal("tell", {"--unasked", "--point", "a", "--alpha", "2", "--y", "1"},
                      "c.acuity: --alpha is given and the study has levels, must be --level");
  desk.expect_refusal("tell", {"--unasked", "--point", "a", "--level", "fine", "--y", "nan"},
                      "c.acuity: the unasked answer is \"nan\", must be a finite number");
}

TEST(TellUnasked, ALevelThatRepeatsItselfHasOneAnswerAtAPoint) {
  const CampaignDesk desk(
      "[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
      "[[level]]\nname = \"mesh\"\nnoise_sd = 0.1\ncost = 1\nrepeat = \"same\"\n");
  desk.done("tell", {"--unasked", "--point", "a", "--y", "1"});
  desk.expect_refusal(
      "tell", {"--unasked", "--point", "a", "--y", "1"},
      "c.acuity: level \"mesh\" gives the same answer every time and has one at point a, that of "
      "1; to correct it use amend");
}

TEST(Amend, CorrectsAndKeepsBothVersions) {
  const CampaignDesk desk(price_list_campaign("budget = 10\n"));
  desk.ask();
  desk.done("tell", {"1", "0.5"});
  const auto json = desk.json("amend", {"1", "--y", "-0.25", "--reason", "sign"});
  EXPECT_EQ(json.at("suggestions").at(0).at("was"), 0.5);
  EXPECT_EQ(json.at("suggestions").at(0).at("is"), -0.25);
  EXPECT_EQ(value(desk.annotations().at(0), "y"), -0.25);
  EXPECT_EQ(desk.status().at("spent"), 1.0) << "money is not refunded";
  const auto events = desk.events();
  EXPECT_EQ(events[2].at("y"), 0.5);
  EXPECT_EQ(events[3].at("event"), "amended");
  EXPECT_EQ(events[3].at("y"), -0.25);
  EXPECT_EQ(events[3].at("reason"), "sign");
  EXPECT_EQ(desk.json("tell", {"1", "0.5"}).at("answers").at(0).at("change"), "none") << "the table again";
}

TEST(Amend, RetractsWithoutARefundAndThePointIsOpenAgain) {
  const CampaignDesk desk(price_list_campaign("budget = 10\n"), "case,x\na,0\n");
  desk.ask();
  desk.done("tell", {"1", "0.5"});
  EXPECT_EQ(desk.run("ask").exit_code, 3);
  desk.done("amend", {"1", "--retract", "--reason", "wrong wing"});
  EXPECT_TRUE(desk.annotations().empty());
  EXPECT_EQ(desk.status().at("spent"), 1.0);
  EXPECT_EQ(desk.status().at("annotations"), 0);
  EXPECT_EQ(desk.events().back().at("event"), "retracted");
  EXPECT_EQ(desk.ask().at(0).at("point"), "a");
  EXPECT_EQ(desk.run("tell", {"1", "0.5"}).err,
            "note: 1 was retracted and stays retracted; to use it again: amend --y\n");
  desk.done("amend", {"1", "--y", "0.5", "--reason", "it was right"});
  EXPECT_EQ(desk.annotations().size(), 1U);
}

TEST(Amend, NeedsAReasonAnAnswerAndAnId) {
  const CampaignDesk desk(price_list_campaign());
  desk.ask({"-n", "2"});
  desk.done("tell", {"1", "0.5"});
  desk.expect_refusal("amend", {"1", "--y", "0.1"},
                      "c.acuity: the amendment of 1 has no --reason, must have one");
  desk.expect_refusal("amend", {"1", "--retract"},
                      "c.acuity: the amendment of 1 has no --reason, must have one");
  desk.expect_refusal("amend", {"1", "--y", "0.1", "--reason", ""},
                      "c.acuity: the amendment of 1 has no --reason, must have one");
  desk.expect_refusal(
      "amend", {"1", "--reason", "r"},
      "c.acuity: the amendment of 1 needs either --retract or what is right: --y, --cost, --noise-sd, "
      "--level, --point or --refund");
  desk.expect_refusal("amend", {"1", "--y", "nan", "--reason", "r"},
                      "c.acuity: the answer to 1 is \"nan\", must be a finite number");
  desk.expect_refusal("amend", {"2", "--y", "0.1", "--reason", "r"},
                      "c.acuity: suggestion 2 is pending, must have an answer to be amended");
  desk.expect_refusal("amend", {"2", "--retract", "--reason", "r"},
                      "c.acuity: suggestion 2 is pending, must have an answer to be retracted");
  desk.expect_refusal("amend", {"9", "--y", "0.1", "--reason", "r"},
                      "c.acuity: there is no suggestion 9, must be one of 1 to 2");
}

TEST(Fail, CostsNothingUnlessItIsSaidAndThePointWaitsForTheOthers) {
  const CampaignDesk desk(price_list_campaign("budget = 5\n"));
  const auto first = desk.ask().at(0);
  desk.done("fail", {"1", "--reason", "solver diverged"});
  EXPECT_EQ(desk.status().at("failed"), 1);
  EXPECT_EQ(desk.status().at("free"), 5.0);
  EXPECT_EQ(desk.events().back().at("reason"), "solver diverged");
  EXPECT_NE(desk.ask().at(0).at("point"), first.at("point"));
  desk.done("fail", {"2", "--cost", "0.75"});
  EXPECT_EQ(desk.status().at("spent"), 0.75);
  const ProgramResult again = desk.run("fail", {"2"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.err, "note: 2 had failed already, nothing was changed\n");
  EXPECT_EQ(desk.status().at("spent"), 0.75);
  desk.done("tell", {"1", "0.1"});
  desk.expect_refusal("fail", {"1"}, "c.acuity: suggestion 1 is told, must be pending to fail");
  desk.expect_refusal("fail", {"7"}, "c.acuity: there is no suggestion 7, must be one of 1 to 2");
}

TEST(Fail, ExclusionIsOfPointAndLevelInAPriceListAndOfThePointOnALadder) {
  const std::string pool = "case,x\na,0\n";
  const CampaignDesk list(price_list_campaign(), pool);
  list.ask();
  list.done("fail", {"1", "--exclude", "--reason", "mesh folds"});
  EXPECT_EQ(list.events().back().at("event"), "excluded");
  EXPECT_EQ(list.events().back().at("point"), "a");
  EXPECT_EQ(list.events().back().at("level"), "coarse");
  EXPECT_EQ(list.ask().at(0).at("level"), "fine");
  list.done("fail", {"2", "--exclude"});
  const ProgramResult end = list.run("ask");
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_EQ(end.err, "c.acuity: finished: every pool point is annotated, pending or excluded\n");
  EXPECT_EQ(list.status().at("excluded"), 2);
  const CampaignDesk ladder(ladder_campaign(), pool);
  ladder.ask();
  ladder.done("fail", {"1", "--exclude"});
  EXPECT_EQ(ladder.run("ask").exit_code, 3);
}

TEST(Release, GivesBackEachThatIsPending) {
  const CampaignDesk desk(price_list_campaign("budget = 5\n"));
  desk.ask({"-n", "3"});
  desk.done("release", {"2"});
  const ProgramResult both = desk.run("release", {"1", "2", "2", "--format", "csv"});
  EXPECT_EQ(both.exit_code, 0);
  EXPECT_EQ(both.out.substr(0, both.out.find('\n')), "id,point,change");
  EXPECT_NE(both.out.find("1,a,released\n"), std::string::npos) << both.out;
  EXPECT_NE(both.out.find(",none\n"), std::string::npos) << both.out;
  EXPECT_EQ(both.err, "note: 2 was released already\n");
  EXPECT_EQ(desk.status().at("escrow"), 1.0);
  desk.done("tell", {"3", "0.1"});
  desk.expect_refusal("release", {"3"}, "c.acuity: suggestion 3 is told, must be pending to be released");
  desk.ask();
  desk.expect_refusal("release", {"4", "9"}, "c.acuity: there is no suggestion 9, must be one of 1 to 4");
  EXPECT_EQ(desk.status().at("pending"), 1) << "all or none";
}

}  // namespace
}  // namespace acuity::testing::tell_test
