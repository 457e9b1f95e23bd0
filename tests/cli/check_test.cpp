#include <gtest/gtest.h>

#include <filesystem>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

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

TEST(Check, SaysWhatStopsTheCampaign) {
  const Folder folder;
  folder.write("pool.csv", "x\n0\n1\n2\n");
  const auto check = [&](const std::string& rest) {
    folder.write("study.toml", testing::price_list_study() + rest);
    return run_acuity({"check", "study.toml"}, folder.path()).out;
  };
  const std::string none = check("");
  EXPECT_EQ(none.find("stops before the money is spent"), std::string::npos) << none;
  const std::string contour = check(
      "[goal]\ncontour = 0.5\n[stop]\nuncertain_share = 0.01\nwrong_share = 0.002\nwall_clock = \"36h\"\n"
      "[annotator]\ncommand = \"true\"\nfailures = \"wait\"\nmax_failures = 7\n");
  EXPECT_NE(contour.find(
                "stops before the money is spent once the uncertain share of the goal is below 0.01, or the "
                "share of the goal that is expected to be wrong is below 0.002, or 1 d 12 h have passed\n"),
            std::string::npos)
      << contour;
  EXPECT_NE(contour.find(
                "runs that fail: their points wait until nothing else is left; 7 different points that fail "
                "one after the other stop the run\n"),
            std::string::npos)
      << contour;
  const std::string best =
      check("[goal]\nfind = \"maximum\"\n[stop]\nexpected_regret = 0.5\ntypical_error = 0.1\n");
  EXPECT_NE(best.find("once the error to expect is below 0.1, or the expected regret is below 0.5\n"),
            std::string::npos)
      << best;
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

// The answer to `check` of this study, which must be accepted.
std::string checked(const Folder& folder, const std::string& study, std::vector<std::string> words = {}) {
  folder.write("study.toml", study);
  words.insert(words.begin(), {"check", "study.toml"});
  const auto result = run_acuity(words, folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

TEST(Check, WarnsOfAnInitialDesignThatTakesMoreThanAQuarterOfTheBudget) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n2\n3\n4\n5\n6\n7\n");
  const auto design = [&](const std::string& initial, const std::string& budget = "100") {
    return checked(folder, "[campaign]\nbudget = " + budget + "\nunit = \"h\"\ninitial = " + initial + "\n" +
                               testing::with_given_model(testing::price_list_study()));
  };
  const std::string plain = design("3");
  EXPECT_NE(plain.find("3 answers first, at points drawn by the seed, at level \"fine\", for 30 h\n"),
            std::string::npos)
      << plain;
  EXPECT_NE(
      plain.find("the initial design costs 30 of the budget of 100 h, 30 %: it is bought at level \"fine\"; "
                 "initial = { count = 3, level = ... } names a cheaper level\n"),
      std::string::npos)
      << plain;
  const std::string cheap = design("{ count = 3, level = \"coarse\" }");
  EXPECT_NE(cheap.find("3 answers first, at points far apart, at level \"coarse\", for 3 h\n"),
            std::string::npos)
      << cheap;
  EXPECT_EQ(cheap.find("the initial design costs"), std::string::npos) << cheap;
  EXPECT_NE(design("{ count = 3, level = \"fine\" }").find("30 %: fewer points leave more for choices"),
            std::string::npos);
  EXPECT_EQ(design("2").find("the initial design costs"), std::string::npos);
  EXPECT_NE(design("8", "60").find("but the initial design costs 80"), std::string::npos);
}

TEST(Check, WarnsOfLengthScalesThatMakeEveryPointAnIsland) {
  const Folder folder;
  std::string header, pool;
  for (int k = 0; k < 30; ++k) header += (k > 0 ? ",x" : "x") + std::to_string(k);
  std::uint32_t draw = 1;
  for (int row = 0; row < 60; ++row)
    for (int k = 0; k < 30; ++k) {
      draw = draw * 1664525U + 1013904223U;
      pool += std::to_string(draw >> 16) + (k == 29 ? "\n" : ",");
    }
  folder.write("pool.csv", header + "\n" + pool);
  const auto with_model = [&](const std::string& model) {
    return checked(folder, "[campaign]\nbudget = 100\n[model]\n" + model + testing::price_list_study());
  };
  const std::string sentence =
      "no answer tells about any other point; for 30 standardised inputs they are "
      "usually about 5.5 or more, and without model.lengthscale they are learned";
  EXPECT_NE(with_model("lengthscale = 1.0\n").find(sentence), std::string::npos);
  EXPECT_EQ(with_model("lengthscale = 6.0\n").find(sentence), std::string::npos);
  EXPECT_EQ(with_model("").find(sentence), std::string::npos);
}

TEST(Check, WarnsOfNamesThatCampaignsRefuse) {
  const Folder folder;
  folder.write("pool.csv", "x,cost\n0.25,1\n1,2\n2,3\n");
  EXPECT_NE(checked(folder, testing::with_given_model(testing::price_list_study()))
                .find("no campaign can be created: input \"cost\" has the name of a column that campaigns "
                      "print, must be renamed\n"),
            std::string::npos);
  EXPECT_EQ(run_acuity({"init", "c.acuity", "--study", "study.toml"}, folder.path()).exit_code, 2);
}

TEST(Check, BeginsWithTheCostOfTheInitialDesign) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n2\n3\n4\n5\n6\n7\n");
  const std::string out = checked(
      folder, "[campaign]\nbudget = 100\nunit = \"h\"\ninitial = { count = 3, level = \"coarse\" }\n" +
                  testing::with_given_model(testing::price_list_study()));
  EXPECT_TRUE(out.starts_with("3 answers first, at points far apart, at level \"coarse\", for 3 h\nInputs\n"))
      << out;
  EXPECT_EQ(out.find("precision adds up"), std::string::npos) << out;
}

TEST(Check, LeavesOutTheTableThatLevelsWithBiasDoNotHave) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n2\n3\n4\n5\n6\n7\n");
  const std::string out = checked(folder,
                                  "[campaign]\nbudget = 100\n[pool]\nfile = \"pool.csv\"\n"
                                  "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\nbias = \"learn\"\n"
                                  "[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = 10\n");
  EXPECT_EQ(out.find("Break-even"), std::string::npos) << out;
}

TEST(Check, SaysOnceThatOneLevelOfClassesIsTheBestEverywhere) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n2\n3\n4\n5\n6\n7\n");
  const std::string out =
      checked(folder,
              "[campaign]\nbudget = 60\n[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n"
              "[[level]]\nname = \"crowd\"\naccuracy = 0.75\ncost = 0.1\n"
              "[[level]]\nname = \"expert\"\naccuracy = 0.8\ncost = 10\n");
  EXPECT_NE(out.find("  crowd is the best level everywhere\n"), std::string::npos) << out;
  EXPECT_EQ(out.find("mean of f"), std::string::npos) << out;
}

std::string study_of_command(const std::string& command, const std::string& level = "") {
  return "[campaign]\nbudget = 100\n" + testing::with_given_model(testing::price_list_study()) + level +
         "[annotator]\ncommand = '" + command + "'\n";
}

TEST(Check, FindsACommandThatDoesNotExistWithoutRunningIt) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n2\n3\n4\n5\n6\n7\n");
  const auto check = [&](const std::string& command) { return checked(folder, study_of_command(command)); };
  EXPECT_NE(check("no-such-solver --x {x} {seed}")
                .find("  the command begins with no-such-solver, which does not exist in PATH\n"),
            std::string::npos);
  EXPECT_NE(check("OMP_NUM_THREADS=1 ./solver {x} {seed}")
                .find("  the command begins with ./solver, which does not exist beside the study\n"),
            std::string::npos);
  folder.write("solver", "#!/bin/sh\necho 1 >>called\n");
  EXPECT_NE(check("./solver {x} {seed}").find("which cannot be executed: chmod +x ./solver\n"),
            std::string::npos);
  std::filesystem::permissions(folder.path() / "solver", std::filesystem::perms::owner_all);
  for (const char* command : {"./solver {x} {seed}", "echo {x} {seed}", "cd / && true {seed}",
                              "sh -c true {seed}", "$HOME/solver {seed}", "[ -e a ] && echo {x} {seed}"})
    EXPECT_EQ(check(command).find("the command begins with"), std::string::npos) << command;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "called"));
}

TEST(Check, AsksWhetherRepeatsGiveTheSameAnswer) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n2\n3\n4\n5\n6\n7\n");
  const std::string question = "does the same run give the same answer again?";
  EXPECT_NE(checked(folder, study_of_command("echo {x}")).find(question), std::string::npos);
  EXPECT_EQ(checked(folder, study_of_command("echo {x} {seed}")).find(question), std::string::npos);
}

TEST(Check, OneLevelHasNoPriceToBeat) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n0.25\n2\n");
  const std::string out =
      checked(folder, testing::with_given_model("[campaign]\nunit = \"EUR\"\n[pool]\nfile = \"pool.csv\"\n"
                                                "[[level]]\nname = \"a\"\nnoise_sd = 0.1\ncost = 1\n"));
  EXPECT_NE(out.find("a costs 1 EUR and is the only level\n"), std::string::npos) << out;
  EXPECT_EQ(out.find("above 0"), std::string::npos) << out;
  EXPECT_NE(out.find("1 pair of pool points is the same place, or nearly: 0 and 1\n"), std::string::npos)
      << out;
}

// A level that its own table gives an interval is bought, whether the size of f is known or not.
TEST(Check, ItsConclusionsAgreeWithItsTable) {
  const Folder folder;
  folder.write("pool.csv", "x\n0.25\n1\n2\n3\n");
  for (const char* model : {"", "[model]\namplitude = 0.02\n", "[model]\namplitude = 20\n"}) {
    folder.write("study.toml", std::string(model) +
                                   "[pool]\nfile = \"pool.csv\"\n"
                                   "[[level]]\nname = \"coarse\"\nnoise_sd = 12e-4\ncost = 1\n"
                                   "[[level]]\nname = \"medium\"\nnoise_sd = 3.6e-4\ncost = 8\n"
                                   "[[level]]\nname = \"fine\"\nnoise_sd = 0.96e-4\ncost = 64\n");
    const auto json =
        nlohmann::json::parse(run_acuity({"check", "study.toml", "--format", "json"}, folder.path()).out);
    const auto& found = json.at("break_even");
    std::set<std::string> in_table;
    for (const auto& one : found.at("intervals")) in_table.insert(one.at("level").get<std::string>());
    for (const auto& one : found.at("prices"))
      EXPECT_EQ(one.at("wins").get<bool>(), in_table.contains(one.at("level").get<std::string>()))
          << model << one;
    EXPECT_EQ(found.at("only").is_null(), in_table.size() > 1) << model;
  }
}

TEST(Check, AForecastSaysThatASimpleRuleIsBetter) {
  // The model is told that the levels differ little in noise although fine answers cost 50 times as much; the
  // initial design, which all share, is bought at the fine level.
  const Folder folder;
  std::string pool = "x\n";
  for (int k = 0; k < 40; ++k) pool += std::to_string(k) + "\n";
  folder.write("pool.csv", pool);
  const std::string study = testing::with_given_model(
      "[campaign]\nbudget = 60\n[pool]\nfile = \"pool.csv\"\n[model]\nlengthscale = 3.0\n"
      "[acquisition]\ninformation = \"bald\"\n"
      "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.2\ncost = 20\n");
  const std::string out = checked(folder, study, {"--forecast", "--repeats", "3"});
  EXPECT_NE(out.find("of 3 truths drawn from the prior\n"), std::string::npos) << out;
  EXPECT_NE(out.find("note: cheapest ends at "), std::string::npos) << out;
  EXPECT_NE(out.find(": under this model it is better to buy level \"coarse\" only; "), std::string::npos)
      << out;
  EXPECT_EQ(
      checked(folder, testing::with(study, "information", "\"model\""), {"--forecast", "--repeats", "3"})
          .find("it is better to buy"),
      std::string::npos);
  const auto refused = [&](const std::vector<std::string>& words, const std::string& sentence) {
    const auto result = run_acuity(words, folder.path());
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err, sentence + "\n");
  };
  refused({"check", "study.toml", "--repeats", "3"}, "--repeats is given, must come with --forecast");
  refused({"check", "study.toml", "--forecast", "--repeats", "0"},
          "--repeats is \"0\", must be a whole number from 1 to 100000");
}

TEST(Check, ThePlanThatIsNotKnownIsRefusedWithAllThatIs) {
  const Folder folder;
  folder.write("pool.csv", "x\n0\n1\n");
  folder.write("study.toml", testing::price_list_study() + "[acquisition]\nplan = \"bugdet\"\n");
  const auto result = run_acuity({"check", "study.toml"}, folder.path());
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(
      result.err,
      "study.toml: acquisition.plan is \"bugdet\", must be \"budget\", \"none\" or a weight of prices from 0 "
      "to 1\n");
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
  ASSERT_EQ(json.at("forecast").size(), 6U);
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
