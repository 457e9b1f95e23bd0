// A campaign whose answers are modelled by their logarithm, through the program (docs/math.md 16).
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace acuity::testing::log_target_test {
namespace {

std::string study(const std::string& target, const std::string& noise, const std::string& more = "") {
  return "[campaign]\nname = \"shield\"\nbudget = 40\nunit = \"h\"\nseed = 3\n"
         "[pool]\nfile = \"pool.csv\"\n[target]\n" +
         target + "[[level]]\nname = \"rough\"\n" + noise +
         " = 0.1\ncost = 1\n[[level]]\nname = \"sharp\"\n" + noise + " = 0.02\ncost = 8\n" + more;
}

const std::string log_study = study("name = \"dose\"\nunit = \"Gy\"\nscale = \"log\"\n", "noise_relative");

double dose(double x) {
  return std::exp(4.0 - 1.1 * x + std::sin(2.0 * x));
}

struct Desk {
  Folder folder;

  explicit Desk(const std::string& text) {
    std::string pool = "x\n", truth = "x,y\n", at = "x\n";
    for (int i = 0; i <= 40; ++i) {
      pool += std::to_string(i * 0.1) + "\n";
      truth += std::to_string(i * 0.1) + "," + std::to_string(dose(i * 0.1)) + "\n";
    }
    for (int i = 0; i < 20; ++i) at += std::to_string(0.05 + i * 0.2) + "\n";
    folder.write("pool.csv", pool);
    folder.write("truth.csv", truth);
    folder.write("at.csv", at);
    folder.write("study.toml", text);
  }
  ProgramResult acuity(const std::vector<std::string>& words) const {
    return run_acuity(words, folder.path());
  }
};

TEST(LogTarget, ACampaignPredictsOnTheUsersScale) {
  const Desk desk(log_study + "[annotator]\nsimulated = \"truth\"\ntruth = \"truth.csv\"\n");
  const ProgramResult run = desk.acuity({"run", "C", "--study", "study.toml"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ProgramResult csv = desk.acuity({"predict", "C", "--at", "at.csv", "--format", "csv"});
  EXPECT_TRUE(csv.out.starts_with("id,x,median,variance,sd,low,high,answer_sd\n")) << csv.out;
  int inside = 0;
  for (const auto& row : csv_rows(csv.out)) {
    const double truth = dose(value(row, "x"));
    EXPECT_NEAR(std::log(value(row, "median")), std::log(truth), 0.3);
    EXPECT_LT(value(row, "low"), value(row, "median"));
    EXPECT_GT(value(row, "high"), value(row, "median"));
    EXPECT_GT(value(row, "low"), 0.0);
    inside += truth > value(row, "low") && truth < value(row, "high") ? 1 : 0;
  }
  EXPECT_GE(inside, 14) << "of 20 in the 95 % interval";
  EXPECT_TRUE(desk.acuity({"predict", "C", "--at", "at.csv"}).out.find("  median of dose (Gy)  ") !=
              std::string::npos)
      << desk.acuity({"predict", "C", "--at", "at.csv"}).out;
  // Answers are as they were given, everywhere.
  for (const auto& row : csv_rows(desk.acuity({"export", "C", "--annotations", "-"}).out)) {
    EXPECT_NEAR(std::log(value(row, "y")), std::log(dose(value(row, "x"))), 0.6);
    EXPECT_LT(value(row, "noise_variance"), 0.011) << "of the logarithm";
  }
  EXPECT_NE(desk.acuity({"status", "C", "--details"}).out.find("dose (Gy)"), std::string::npos);
  const std::string why = desk.acuity({"explain", "C", "12"}).out;
  EXPECT_NE(why.find("The belief about dose there is "), std::string::npos) << why;
  EXPECT_NE(why.find(" Gy (median; 95 % interval "), std::string::npos) << why;
  EXPECT_NE(why.find("standard deviation of log dose there falls"), std::string::npos) << why;
  ASSERT_EQ(desk.acuity({"report", "C", "--out", "r.html", "--figures", "figures"}).exit_code, 0);
  const std::string page = desk.folder.read("r.html");
  EXPECT_NE(page.find("Prediction of dose"), std::string::npos);
  EXPECT_NE(desk.folder.read("figures/belief.svg").find("median of dose"), std::string::npos);
  EXPECT_NE(page.find("a factor of "), std::string::npos);
  EXPECT_EQ(desk.acuity({"verify", "C"}).exit_code, 0);
}

// The twin: logarithms taken by hand. The same seed makes the same choices, and predictions are the
// logarithms.
TEST(LogTarget, ChoicesAreThoseOfTheLogarithmsByHand) {
  const Desk log(log_study), plain(study("", "noise_sd"));
  const auto next = [](const Desk& desk) {
    return nlohmann::json::parse(desk.acuity({"ask", "C", "--format", "json"}).out).at("suggestions")[0];
  };
  for (const Desk* desk : {&log, &plain})
    ASSERT_EQ(desk->acuity({"init", "C", "--study", "study.toml"}).exit_code, 0);
  char text[40];
  for (int i = 1; i <= 9; ++i) {
    const auto a = next(log), b = next(plain);
    ASSERT_EQ(a.at("point"), b.at("point")) << i;
    ASSERT_EQ(a.at("level"), b.at("level")) << i;
    const double y = dose(a.at("x").get<double>());
    std::snprintf(text, sizeof text, "%.17g", y);
    ASSERT_EQ(log.acuity({"tell", "C", std::to_string(i), text}).exit_code, 0);
    std::snprintf(text, sizeof text, "%.17g", std::log(y));
    ASSERT_EQ(plain.acuity({"tell", "C", std::to_string(i), text}).exit_code, 0);
  }
  const std::vector<std::string> words{"predict", "C", "--at", "at.csv", "--format", "csv"};
  const auto a = csv_rows(log.acuity(words).out), b = csv_rows(plain.acuity(words).out);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(value(a[i], "variance"), value(b[i], "variance"), 1e-9 * value(b[i], "variance"));
    EXPECT_NEAR(std::log(value(a[i], "low")), value(b[i], "low"), 1e-9);
    EXPECT_NEAR(std::log(value(a[i], "high")), value(b[i], "high"), 1e-9);
  }
}

TEST(LogTarget, BadAnswersAreRefusedWithASentence) {
  const Desk desk(log_study);
  ASSERT_EQ(desk.acuity({"init", "C", "--study", "study.toml"}).exit_code, 0);
  ASSERT_EQ(desk.acuity({"ask", "C"}).exit_code, 0);
  const auto refused = [&](const std::vector<std::string>& words, const std::string& sentence) {
    const ProgramResult result = desk.acuity(words);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, sentence);
  };
  const std::string must = "must be a finite number above 0 (target.scale is \"log\")\n";
  refused({"tell", "C", "1", "0"}, "C: the answer to 1 is \"0\", " + must);
  refused({"tell", "C", "1", "-3"}, "C: the answer to 1 is \"-3\", " + must);
  desk.folder.write("s.csv", "id,y\n1,-2\n");
  refused({"tell", "C", "--csv", "s.csv"}, "s.csv:2: column \"y\" is \"-2\", " + must);
  ASSERT_EQ(desk.acuity({"tell", "C", "1", "20", "--noise-sd", "2"}).exit_code, 0);
  EXPECT_NEAR(value(csv_rows(desk.acuity({"export", "C", "--annotations", "-"}).out).at(0), "noise_variance"),
              0.01, 1e-12)
      << "a tenth of the answer";
  refused({"amend", "C", "1", "--y", "-1", "--reason", "sign"}, "C: the answer to 1 is \"-1\", " + must);
}

TEST(LogTarget, BiasesAreFactors) {
  const Desk desk(log_study);
  std::string known = "x,level,y\n";
  for (int i = 0; i <= 8; ++i)
    for (const char* level : {"rough", "sharp"}) {
      const double x = i * 0.5;
      known += std::to_string(x) + "," + level + "," +
               std::to_string(dose(x) * (level[0] == 'r' ? 1.5 : 1.0)) + "\n";
    }
  desk.folder.write("known.csv", known);
  std::string text = log_study;
  text.insert(text.find("seed"), "initial = { file = \"known.csv\" }\n");
  text.replace(text.find("budget = 40"), 11, "budget = 400");
  desk.folder.write("study.toml", text);
  ASSERT_EQ(desk.acuity({"init", "C", "--study", "study.toml"}).exit_code, 0);
  const std::string status = desk.acuity({"status", "C", "--details"}).out;
  EXPECT_NE(status.find("reads 1.5 times sharp (1.276 to 1.763"), std::string::npos) << status;
}

TEST(LogTarget, BacktestsAndForecastsWork) {
  const Desk desk(log_study);
  const ProgramResult tested =
      desk.acuity({"backtest", "study.toml", "--truth", "truth.csv", "--repeats", "2", "--format", "json"});
  ASSERT_EQ(tested.exit_code, 0) << tested.err;
  desk.folder.write("bad.csv", "x,y\n0,-1\n");
  const ProgramResult bad = desk.acuity({"backtest", "study.toml", "--truth", "bad.csv"});
  EXPECT_EQ(bad.exit_code, 2);
}

}  // namespace
}  // namespace acuity::testing::log_target_test
