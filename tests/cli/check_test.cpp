#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::check_test {
namespace {

using testing::Folder;
using testing::run_acuity;

TEST(Check, PrintsTheBreakEvenTableOfAStudyAndOfACampaign) {
  const Folder folder;
  folder.write("pool.csv", "x\n0\n1\n2\n");
  folder.write("study.toml", testing::with_given_model(testing::price_list_study()));
  const auto study = run_acuity({"check", "study.toml"}, folder.path());
  EXPECT_EQ(study.exit_code, 0) << study.err;
  EXPECT_NE(study.out.find("Break-even"), std::string::npos);
  EXPECT_NE(study.out.find("coarse costs 1"), std::string::npos) << study.out;
  ASSERT_EQ(run_acuity({"init", "c.acuity", "--study", "study.toml"}, folder.path()).exit_code, 0);
  EXPECT_EQ(run_acuity({"check", "c.acuity"}, folder.path()).out, study.out);
  const auto json =
      nlohmann::json::parse(run_acuity({"check", "study.toml", "--format", "json"}, folder.path()).out);
  EXPECT_EQ(json.at("break_even").at("prices").size(), 2U);
  EXPECT_TRUE(json.at("warnings").is_array());
}

TEST(Check, TriesTheAnnotatorOnceAndRecordsNothing) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n");
  folder.write("study.toml",
               testing::with_given_model(testing::price_list_study() +
                                         "[annotator]\ncommand = \"echo {x}; echo $ACUITY_LEVEL >>" +
                                         folder.path().string() + "/calls\"\n"));
  const auto tried = run_acuity({"check", "study.toml", "--try"}, folder.path());
  EXPECT_EQ(tried.exit_code, 0) << tried.err;
  EXPECT_NE(tried.out.find("point 0 at coarse: 0.25"), std::string::npos) << tried.out;
  EXPECT_EQ(folder.read("calls"), "coarse\n");
  folder.write("study.toml",
               testing::with_given_model(testing::price_list_study() +
                                         "[annotator]\ncommand = \"echo no licence >&2; exit 3\"\n"));
  const auto failed = run_acuity({"check", "study.toml", "--try"}, folder.path());
  EXPECT_EQ(failed.exit_code, 5);
  EXPECT_NE(failed.out.find("no licence"), std::string::npos) << failed.out;
}

TEST(Check, TryingComparesTheNoiseThatIsReportedWithTheDeclared) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n");
  const auto tried = [&](const std::string& study, const std::string& noise) {
    folder.write("study.toml", testing::with_given_model(study +
                                                         R"([annotator]
command = "echo '{\"y\": 2.5, \"cost\": 3, \"noise_sd\": )" +
                                                         noise + "}'\"\n"));
    return run_acuity({"check", "study.toml", "--try"}, folder.path()).out;
  };
  const std::string list = tried(testing::price_list_study(), "1.05");
  EXPECT_NE(list.find("point 0 at coarse: 2.5, cost 3, noise_sd 1.05 reported, 0.5 declared: 2.1 times the "
                      "declared\n"),
            std::string::npos)
      << list;
  const std::string ladder = tried(testing::with(testing::ladder_study(), "variance", "0.07"), "0.1");
  EXPECT_NE(ladder.find("noise_sd 0.1 reported, 0.4 declared: 0.25 times the declared\n"), std::string::npos)
      << ladder;
}

TEST(Check, RefusesACommandThatRunWouldRefuse) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n");
  folder.write("study.toml", testing::with_given_model(testing::price_list_study() +
                                                       "[annotator]\ncommand = \"echo {xx}\"\n"));
  const auto result = run_acuity({"check", "study.toml"}, folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("annotator.command has {xx}, must be one of"), std::string::npos) << result.err;
}

TEST(Check, WarnsOfABudgetThatBuysNothingOrNotTheInitialDesign) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n2\n3\n4\n");
  const auto checked = [&](const std::string& budget) {
    folder.write("study.toml", "[campaign]\nbudget = " + budget + "\n" + testing::price_list_study());
    return run_acuity({"check", "study.toml"}, folder.path()).out;
  };
  EXPECT_NE(checked("0.5").find("the budget is 0.5, but the cheapest level, coarse, costs 1: nothing can be "
                                "bought"),
            std::string::npos)
      << checked("0.5");
  EXPECT_NE(checked("2").find("the budget is 2, but the initial design costs 3: "), std::string::npos)
      << checked("2");
  EXPECT_EQ(checked("20").find("the budget is"), std::string::npos) << checked("20");
}

TEST(Check, WhatItWarnsOfRunSaysAtItsStart) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n2\n3\n4\n");
  folder.write("study.toml", "[campaign]\nbudget = 2\n" + testing::price_list_study() +
                                 "[annotator]\ncommand = \"echo {x}\"\n");
  const std::string warning = "the budget is 2, but the initial design costs 3: ";
  const auto run = run_acuity({"run", "C", "--study", "study.toml"}, folder.path());
  EXPECT_NE(run.err.find("note: " + warning), std::string::npos) << run.err;
  EXPECT_NE(run_acuity({"check", "study.toml"}, folder.path()).out.find(warning), std::string::npos);
  const auto more = run_acuity({"run", "C", "--budget", "+5"}, folder.path());
  EXPECT_EQ(more.err.find(warning), std::string::npos) << "it has begun: " << more.err;
}

TEST(Check, LearnsTheSizeOfAnswersFromThoseThatAreKnown) {
  const Folder folder;
  std::string pool = "x\n", known = "x,level,y\n";
  for (int k = 0; k < 12; ++k) {
    pool += std::to_string(k) + "\n";
    known += std::to_string(k) + ",coarse," + std::to_string(100.0 * std::sin(0.6 * k)) + "\n";
  }
  folder.write("pool.csv", pool);
  folder.write("known.csv", known);
  folder.write("study.toml",
               "[campaign]\ninitial = { file = \"known.csv\" }\n" + testing::price_list_study());
  const auto result = run_acuity({"check", "study.toml", "--format", "json"}, folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_TRUE(json.at("break_even").at("size_known"));
  EXPECT_GT(json.at("break_even").at("prior_sd"), 20.0);
  EXPECT_EQ(json.at("warnings").size(), 0U) << result.out;
}

TEST(Check, WithoutAnAnnotatorThereIsNothingToTry) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n");
  folder.write("study.toml", testing::with_given_model(testing::price_list_study()));
  const auto result = run_acuity({"check", "study.toml", "--try"}, folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
}

TEST(Check, ForecastsWhatTheMoneyIsExpectedToBuy) {
  const Folder folder;
  std::string pool = "x\n";
  for (int k = 0; k < 30; ++k) pool += std::to_string(0.2 * k) + "\n";
  folder.write("pool.csv", pool);
  folder.write("study.toml",
               testing::with_given_model("[campaign]\nbudget = 20\n" + testing::price_list_study()));
  const auto people = run_acuity({"check", "study.toml", "--forecast"}, folder.path());
  EXPECT_EQ(people.exit_code, 0) << people.err;
  EXPECT_NE(people.out.find("Forecast"), std::string::npos) << people.out;
  const auto json = nlohmann::json::parse(
      run_acuity({"check", "study.toml", "--forecast", "--format", "json"}, folder.path()).out);
  ASSERT_EQ(json.at("forecast").size(), 5U);
  for (const auto& curve : json.at("forecast"))
    EXPECT_LT(curve.at("median").back(), curve.at("median").front())
        << curve.at("policy") << ": money buys something";
  folder.write("study.toml", testing::with_given_model(testing::price_list_study()));
  EXPECT_EQ(run_acuity({"check", "study.toml", "--forecast"}, folder.path()).exit_code, 2)
      << "without a budget";
}

TEST(Check, ForecastsACampaignFromWhereItStands) {
  const Folder folder;
  std::string pool = "x\n";
  for (int k = 0; k < 30; ++k) pool += std::to_string(0.2 * k) + "\n";
  folder.write("pool.csv", pool);
  folder.write("study.toml",
               testing::with_given_model("[campaign]\nbudget = 20\n" + testing::price_list_study()));
  ASSERT_EQ(run_acuity({"init", "C", "--study", "study.toml"}, folder.path()).exit_code, 0);
  const auto money_and_error = [&](const std::string& what) {
    const auto result = run_acuity({"check", what, "--forecast", "--format", "json"}, folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const auto curve = nlohmann::json::parse(result.out).at("forecast").at(0);
    return std::pair(curve.at("money").front().get<double>(), curve.at("median").front().get<double>());
  };
  EXPECT_EQ(money_and_error("C"), money_and_error("study.toml"));
  for (int k = 1; k <= 4; ++k) {
    ASSERT_EQ(run_acuity({"ask", "C"}, folder.path()).exit_code, 0);
    ASSERT_EQ(run_acuity({"tell", "C", std::to_string(k), "0.1"}, folder.path()).exit_code, 0);
  }
  EXPECT_EQ(money_and_error("C").first, 4.0);
  EXPECT_LT(money_and_error("C").second, 0.9 * money_and_error("study.toml").second);
  const auto text = run_acuity({"backtest", "C", "--forecast", "--repeats", "2"}, folder.path());
  EXPECT_NE(text.out.find("2 truths drawn from what is believed after 4 answers"), std::string::npos)
      << text.out;
}

}  // namespace
}  // namespace acuity::check_test
