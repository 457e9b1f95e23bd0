// `acuity backtest`: what each policy would have cost on known answers, and the forecast without them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <filesystem>

#include "support/campaigns.hpp"
#include "support/studies.hpp"

namespace acuity::testing::backtest_test {
namespace {

struct Backtest : Desk {
  explicit Backtest(
      const std::string& study = campaign_study("name = \"waves\"\nbudget = 8\nunit = \"hours\""),
      bool binary = false)
      : Desk(study, 40) {
    std::string truth = "x,y\n";
    for (int k = 0; k < 40; ++k) {
      const double x = -3.0 + 6.0 * k / 39, f = std::sin(2.0 * x);
      truth += fmt::format("{},{}\n", x, binary ? (f < 0.0 ? -1.0 : 1.0) : f);
    }
    folder.write("truth.csv", truth);
  }

  ProgramResult backtest(std::vector<std::string> words) const {
    words.insert(words.begin(), {"backtest", "study.toml"});
    return run(words);
  }
  nlohmann::json json(std::vector<std::string> words) const {
    words.insert(words.end(), {"--format", "json"});
    const ProgramResult result = backtest(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
  void expect_refusal(const std::vector<std::string>& words, const std::string& sentence) const {
    const ProgramResult result = backtest(words);
    expect_sentence(result, 2);
    EXPECT_EQ(result.err, sentence + "\n");
  }
};

// An empty y is a run that fails: its cost is lost, and errors are measured elsewhere.
TEST(Backtest, KnowsRunsThatFail) {
  const Backtest desk;
  std::string truth = "x,y\n";
  for (int k = 0; k < 40; ++k) {
    const double x = -3.0 + 6.0 * k / 39;
    truth += k >= 30 ? fmt::format("{},\n", x) : fmt::format("{},{}\n", x, std::sin(2.0 * x));
  }
  desk.folder.write("truth.csv", truth);
  const nlohmann::json result =
      desk.json({"--truth", "truth.csv", "--repeats", "3", "--policies", "model,random"});
  for (const auto& row : result.at("policies")) {
    EXPECT_GT(row.at("final_error_median"), 0.0) << row;
    EXPECT_LT(row.at("final_error_median"), 0.8) << row;
  }
  std::string nothing = "x,y\n";
  for (int k = 0; k < 40; ++k) nothing += fmt::format("{},\n", -3.0 + 6.0 * k / 39);
  desk.folder.write("truth.csv", nothing);
  desk.expect_refusal({"--truth", "truth.csv"}, "truth.csv: has no answer, must have one somewhere");
}

TEST(Backtest, SaysWhatEachPolicyWouldHaveCost) {
  const Backtest desk;
  const nlohmann::json result = desk.json({"--truth", "truth.csv", "--repeats", "9"});
  EXPECT_EQ(result.at("name"), "waves");
  EXPECT_EQ(result.at("repeats"), 9);
  EXPECT_EQ(result.at("unit"), "hours");
  EXPECT_EQ(result.at("measure"), "root mean square error");
  std::map<std::string, nlohmann::json> rows;
  for (const auto& row : result.at("policies")) rows[row.at("policy")] = row;
  ASSERT_EQ(rows.size(), 6U);
  // The error to reach is where random ends, which it does in more than half of the repeats.
  EXPECT_EQ(result.at("error"), rows.at("random").at("final_error_median"));
  EXPECT_GT(rows.at("random").at("reached"), 0.5);
  EXPECT_LE(rows.at("random").at("cost_median"), 8.0);
  // What the program is for.
  EXPECT_EQ(rows.at("model").at("reached"), 1.0);
  EXPECT_LT(rows.at("model").at("cost_median"), rows.at("random").at("cost_median"));
  for (const auto& [name, row] : rows) {
    EXPECT_LE(row.at("final_error_q1"), row.at("final_error_median")) << name;
    EXPECT_LE(row.at("final_error_median"), row.at("final_error_q3")) << name;
  }
  EXPECT_GT(rows.at("cheapest").at("annotations"), rows.at("finest").at("annotations"));
}

TEST(Backtest, TableSaysWhichErrorIsToBeReached) {
  const Backtest desk;
  const ProgramResult all = desk.backtest({"--truth", "truth.csv", "--repeats", "2"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_NE(all.out.find("the final error of random, reached in more than half of 2 repeats\npolicy"),
            std::string::npos)
      << all.out;
  const ProgramResult given = desk.backtest(
      {"--truth", "truth.csv", "--repeats", "2", "--error", "0.25", "--policies", "model,finest"});
  EXPECT_TRUE(given.out.starts_with("root mean square error to reach: 0.25, given by --error\n"))
      << given.out;
  EXPECT_EQ(std::count(given.out.begin(), given.out.end(), '\n'), 4);
}

TEST(Backtest, AnErrorThatNobodyReachesCostsInfinity) {
  const Backtest desk;
  const nlohmann::json result =
      desk.json({"--truth", "truth.csv", "--repeats", "2", "--error", "0", "--policies", "random"});
  EXPECT_EQ(result.at("policies")[0].at("reached"), 0.0);
  EXPECT_EQ(result.at("policies")[0].at("cost_median"), "inf");
}

TEST(Backtest, ResultsDoNotDependOnTheNumberOfThreads) {
  const Backtest desk;
  const nlohmann::json one = desk.json({"--truth", "truth.csv", "--repeats", "3", "--threads", "1"});
  EXPECT_EQ(one, desk.json({"--truth", "truth.csv", "--repeats", "3", "--threads", "4"}));
}

TEST(Backtest, WritesCurvesSummaryAndFigure) {
  const Backtest desk;
  const nlohmann::json result = desk.json({"--truth", "truth.csv", "--repeats", "3", "--out", "found/here"});
  const Folder& folder = desk.folder;
  EXPECT_EQ(nlohmann::json::parse(folder.read("found/here/summary.json")), result);
  const auto curves = csv_rows(folder.read("found/here/curves.csv"));
  ASSERT_EQ(curves.size(), 6U * 101U);
  EXPECT_EQ(curves[0].at("policy"), "model");
  EXPECT_EQ(value(curves[0], "money"), 0.0);
  EXPECT_EQ(value(curves[100], "money"), 8.0);
  EXPECT_EQ(value(curves[100], "median"), result.at("policies")[0].at("final_error_median"));
  const std::string figure = folder.read("found/here/figure.svg");
  EXPECT_NE(figure.find("money spent (hours)"), std::string::npos);
  EXPECT_NE(figure.find("cheapest"), std::string::npos);
}

TEST(Backtest, OfClassesCountsThoseThatAreWrong) {
  const Backtest desk(class_campaign_study("budget = 10", "lengthscale = 0.7\namplitude = 2"), true);
  const nlohmann::json result = desk.json({"--truth", "truth.csv", "--repeats", "5"});
  EXPECT_EQ(result.at("measure"), "share of wrong classes");
  EXPECT_LT(result.at("policies")[0].at("final_error_median"), 0.35);
}

TEST(Backtest, OfACampaignBeginsAnew) {
  const Backtest desk;
  const nlohmann::json of_study = desk.json({"--truth", "truth.csv", "--repeats", "2"});
  ASSERT_EQ(desk.run({"init", "C", "--study", "study.toml"}).exit_code, 0);
  ASSERT_EQ(desk.run({"ask", "C"}).exit_code, 0);
  ASSERT_EQ(desk.run({"tell", "C", "1", "0.3"}).exit_code, 0);
  const ProgramResult result =
      desk.run({"backtest", "C", "--truth", "truth.csv", "--repeats", "2", "--format", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out), of_study);
}

TEST(Backtest, AStudysOwnTargetInformationIsAPolicy) {
  const Backtest desk(campaign_study("budget = 3") + "[acquisition]\ninformation = \"target\"\n");
  const nlohmann::json result = desk.json({"--truth", "truth.csv", "--repeats", "2"});
  ASSERT_EQ(result.at("policies").size(), 7U);
  EXPECT_EQ(result.at("policies")[0].at("policy"), "target");
}

TEST(Backtest, LevelsWithBiasAreComparedWithAndWithoutIt) {
  const Backtest desk(
      "[campaign]\nname = \"meshes\"\nbudget = 60\n[pool]\nfile = \"pool.csv\"\n"
      "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\nrepeat = \"same\"\n"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 8\nrepeat = \"same\"\n");
  std::string truth = "x,y@coarse,y@fine\n";
  for (int k = 0; k < 40; ++k) {
    const double x = -3.0 + 6.0 * k / 39, f = std::sin(2.0 * x);
    truth += fmt::format("{},{},{}\n", x, f + 0.7, f);
  }
  desk.folder.write("levels.csv", truth);
  const nlohmann::json result = desk.json({"--truth", "levels.csv", "--repeats", "3", "--out", "out"});
  const nlohmann::json& rows = result.at("policies");
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[0].at("policy"), "goal");
  EXPECT_EQ(rows[1].at("policy"), "no-bias");
  EXPECT_LT(3.0 * rows[0].at("final_error_median").get<double>(), rows[1].at("final_error_median"));
  const auto curves = csv_rows(desk.folder.read("out/curves.csv"));
  EXPECT_EQ(curves[101].at("policy"), "no-bias");
  EXPECT_NE(desk.folder.read("out/figure.svg").find("no-bias"), std::string::npos);
  const ProgramResult table = desk.backtest(
      {"--truth", "levels.csv", "--repeats", "1", "--error", "0.1", "--policies", "goal,no-bias"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find("\nno-bias"), std::string::npos) << table.out;
}

TEST(Backtest, SaysWhereTheErrorIsMeasured) {
  const Backtest desk(campaign_study("budget = 8") + "[goal]\nfile = \"wanted.csv\"\n");
  const std::vector<std::string> words{"--truth",    "truth.csv", "--repeats", "1",
                                       "--policies", "goal",      "--error",   "0.1"};
  desk.folder.write("wanted.csv", fmt::format("x\n{}\n{}\n", -3.0, -3.0 + 6.0 * 7 / 39));
  const ProgramResult known = desk.backtest(words);
  EXPECT_EQ(known.exit_code, 0) << known.err;
  EXPECT_TRUE(known.out.starts_with("root mean square error over the points of [goal] to reach: 0.1, "))
      << known.out;
  EXPECT_EQ(desk.json(words).at("where"), "over the points of [goal]");
  desk.folder.write("wanted.csv", "x\n0.012345\n");
  const ProgramResult unknown = desk.backtest(words);
  EXPECT_TRUE(unknown.out.starts_with("root mean square error to reach: 0.1, ")) << unknown.out;
  EXPECT_NE(unknown.err.find("note: the error is over the pool: the truth is known at no point of [goal]\n"),
            std::string::npos)
      << unknown.err;
  const ProgramResult forecast = desk.backtest({"--forecast", "--repeats", "2", "--policies", "goal"});
  EXPECT_TRUE(forecast.out.starts_with("forecast: root mean square error over the points of [goal] against"))
      << forecast.out;
}

TEST(Backtest, ForecastOfLevelsWithBiasSaysWhatItAssumes) {
  const Backtest desk(
      "[campaign]\nbudget = 20\n[pool]\nfile = \"pool.csv\"\n"
      "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\nbias = \"learn\"\n"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 5\n");
  const ProgramResult made = desk.backtest({"--forecast", "--repeats", "2", "--policies", "goal,no-bias"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.out.find("an offset (sd 1) and a smooth difference (sd 0.5)"), std::string::npos)
      << made.out;
  EXPECT_NE(made.out.find("no-bias"), std::string::npos) << made.out;
}

TEST(Backtest, ForecastNeedsNoTruth) {
  const Backtest desk;
  const ProgramResult text = desk.backtest({"--forecast", "--repeats", "4"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_TRUE(text.out.starts_with("forecast: root mean square error over the pool against money"))
      << text.out;
  const nlohmann::json json =
      desk.json({"--forecast", "--repeats", "4", "--policies", "model,random", "--out", "f"});
  ASSERT_EQ(json.at("rows").size(), 202U);
  for (const auto& row : json.at("rows")) {
    EXPECT_LE(row.at("p10"), row.at("median"));
    EXPECT_LE(row.at("median"), row.at("p90"));
  }
  EXPECT_LT(json.at("rows")[100].at("median"), json.at("rows")[0].at("median"));
  EXPECT_EQ(nlohmann::json::parse(desk.folder.read("f/summary.json")), json);
  EXPECT_NE(desk.folder.read("f/figure.svg").find("4 truths drawn from the prior"), std::string::npos);
}

TEST(Backtest, InterruptedItSaysSoAndWritesNothing) {
  const Backtest desk;
  Process process({"backtest", "study.toml", "--truth", "truth.csv", "--repeats", "10000", "--out", "made"},
                  desk.folder.path());
  // The folder is made when the signal is heeded already.
  for (int k = 0; k < 3000 && !std::filesystem::exists(desk.folder.path() / "made"); ++k) usleep(10'000);
  kill(process.id(), SIGINT);
  const ProgramResult result = process.wait();
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("interrupted: nothing was written"), std::string::npos) << result.err;
  EXPECT_TRUE(std::filesystem::is_empty(desk.folder.path() / "made"));
}

TEST(Backtest, RefusesWhatCannotBeDoneAndMakesNoFolder) {
  const Backtest desk;
  const std::vector<std::string> out{"--out", "made"};
  const auto with_out = [&](std::vector<std::string> words) {
    words.insert(words.end(), out.begin(), out.end());
    return words;
  };
  desk.expect_refusal(with_out({}),
                      "--truth is missing, must be a table of known answers (or --forecast: none are known)");
  desk.expect_refusal(with_out({"--truth", "truth.csv", "--repeats", "0"}),
                      "--repeats is 0, must be from 1 to 10000");
  desk.expect_refusal(with_out({"--truth", "truth.csv", "--error", "-1"}),
                      "--error is -1, must be a finite number, 0 or more");
  desk.expect_refusal(with_out({"--truth", "truth.csv", "--policies", "model,best"}),
                      "--policies: policy \"best\" is not known, must be one of \"model\", \"bald\", "
                      "\"random\", \"random-best\", \"cheapest\" or \"finest\"");
  desk.expect_refusal(with_out({"--truth", "truth.csv", "--policies", "model"}),
                      "--error is missing, must be given if --policies does not include random");
  desk.expect_refusal(with_out({"--truth", "truth.csv", "--forecast"}),
                      "--truth is given with --forecast, must be one of them");
  desk.expect_refusal(with_out({"--forecast", "--error", "1"}),
                      "--error is given with --forecast, must be left out: the forecast is of errors");
  desk.folder.write("short.csv", "x,y\n-3,0.1\n");
  expect_sentence(desk.backtest(with_out({"--truth", "short.csv"})), 2);
  desk.folder.write("study.toml", testing::with_given_model(campaign_study()));
  desk.expect_refusal(with_out({"--truth", "truth.csv"}),
                      "study.toml: campaign.budget is missing, must be set to simulate campaigns");
  EXPECT_FALSE(std::filesystem::exists(desk.folder.path() / "made"));
}

TEST(Backtest, AForecastSaysAtOnceWhatItSimulates) {
  const Backtest desk;
  const ProgramResult result = desk.backtest({"--forecast", "--repeats", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::size_t first = result.err.find("forecast: "), runs = result.err.find(" runs\n");
  EXPECT_NE(first, std::string::npos) << result.err;
  EXPECT_LT(runs, result.err.find(" so far")) << result.err;
  EXPECT_NE(result.out.find("random-best"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace acuity::testing::backtest_test
