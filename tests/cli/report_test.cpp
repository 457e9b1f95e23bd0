#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "acuity/study/study_learner.hpp"
#include "campaign/campaign_model.hpp"
#include "judgement/held_out.hpp"
#include "support/campaign_desk.hpp"
#include "support/campaigns.hpp"
#include "support/markup.hpp"
#include "views/campaign_data.hpp"

namespace acuity::testing::report_test {
namespace {

std::string sine_study() {
  return campaign_study("budget = 8\nname = \"sine\"\nunit = \"runs\"") +
         "[annotator]\nsimulated = \"sine\"\n";
}

TEST(Report, WritesOnePageAndThePicturesBesideIt) {
  const Desk desk(sine_study());
  ASSERT_EQ(desk.run({"run", "C", "--study", "study.toml"}).exit_code, 0);
  const std::string before = desk.run({"export", "C", "--events", "-"}).out;
  const ProgramResult result = desk.run({"report", "C", "--out", "R.html", "--figures", "pictures"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("R.html: ")) << result.out;
  const std::string page = desk.folder.read("R.html");
  EXPECT_EQ(markup_fault(page), "");
  EXPECT_NE(page.find("<h1>sine</h1>"), std::string::npos);
  for (const char* name : {"learning-curve", "money", "belief", "calibration", "break-even"})
    EXPECT_EQ(markup_fault(desk.folder.read(std::string("pictures/") + name + ".svg")), "") << name;
  EXPECT_NE(page.find("held-out error"), std::string::npos);
  EXPECT_EQ(desk.run({"export", "C", "--events", "-"}).out, before);
}

TEST(Report, IsTheSameForTheSameLog) {
  const Desk desk(sine_study());
  ASSERT_EQ(desk.run({"run", "C", "--study", "study.toml"}).exit_code, 0);
  desk.run({"report", "C", "--out", "R.html"});
  const std::string first = desk.folder.read("R.html");
  desk.run({"report", "C", "--out", "R.html"});
  EXPECT_EQ(desk.folder.read("R.html"), first);
}

TEST(Report, MeasuresTheErrorOnATableOfTheUsers) {
  const Desk desk(sine_study());
  ASSERT_EQ(desk.run({"run", "C", "--study", "study.toml"}).exit_code, 0);
  desk.folder.write("test.csv", "x,y\n0,0\n1,0.03\n");
  const ProgramResult result = desk.run({"report", "C", "--out", "R.html", "--test", "test.csv"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(desk.folder.read("R.html").find("held-out error"), std::string::npos);
}

std::string line_with(const std::string& text, const std::string& begin) {
  const std::size_t at = text.find(begin);
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST(Report, RunStatusAndReportGiveTheSameVerdict) {
  for (const std::string annotator : {"simulated = \"sine\"", "command = \"echo 0.{id}\""}) {
    const Desk desk(campaign_study("budget = 20\nunit = \"runs\"") + "[annotator]\n" + annotator + "\n");
    const ProgramResult run = desk.run({"run", "C", "--study", "study.toml"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const std::string sentence = line_with(run.err, "intervals: ");
    ASSERT_NE(sentence, "") << run.err;
    EXPECT_EQ(sentence.find("pool points") != std::string::npos, annotator.starts_with("simulated"))
        << sentence;
    EXPECT_EQ(line_with(desk.run({"status", "C", "--details"}).out, "intervals: "), sentence);
    EXPECT_NE(desk.run({"status", "C", "--format", "json"}).out.find("\"text\":\"" + sentence + "\""),
              std::string::npos);
    ASSERT_EQ(desk.run({"report", "C", "--out", "R.html"}).exit_code, 0);
    EXPECT_NE(desk.folder.read("R.html").find("Verdict on the " + sentence + "."), std::string::npos)
        << sentence;
  }
}

TEST(Report, ShowsThePredictionsOfPredict) {
  std::string pool = "x\n";
  for (int k = 0; k < 30; ++k) pool += fmt::format("{}\n", 0.2 * k);
  const Desk desk(
      "[campaign]\nbudget = 60\n[pool]\nfile = \"pool.csv\"\n[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\n"
      "cost = 1\n[[level]]\nname = \"fine\"\nnoise_sd = 0.05\ncost = 6\n[annotator]\nsimulated = \"sine\"\n");
  desk.folder.write("pool.csv", pool);
  ASSERT_EQ(desk.run({"run", "C", "--study", "study.toml"}).exit_code, 0);
  const Campaign campaign = Campaign::open(desk.folder.path() / "C", Access::read);
  const CampaignData data = campaign_data(campaign);
  ASSERT_EQ(data.belief.curves.size(), 1U);
  const BeliefCurve& curve = data.belief.curves.front();
  std::string at = "x\n";
  for (const double x : curve.x) at += fmt::format("{}\n", x);
  desk.folder.write("at.csv", at);
  const ProgramResult result = desk.run({"predict", "C", "--at", "at.csv", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const nlohmann::json rows = nlohmann::json::parse(result.out).at("rows");
  ASSERT_EQ(rows.size(), curve.x.size());
  for (std::size_t k = 0; k < curve.x.size(); ++k) {
    EXPECT_NEAR(curve.middle[k], rows[k].at("mean").get<double>(), 1e-9);
    EXPECT_NEAR(curve.low[k], rows[k].at("low").get<double>(), 1e-9);
    EXPECT_NEAR(curve.high[k], rows[k].at("high").get<double>(), 1e-9);
  }
}

// The error that a report measures on a table, and the one that it expects there, are those of `predict`.
TEST(Report, MeasuresTheErrorOfThePredictionsOfPredict) {
  std::string pool = "x\n", test = "x,y,noise_variance\n", at = "x\n";
  for (int k = 0; k < 30; ++k) pool += fmt::format("{}\n", 0.2 * k);
  const auto truth = [](double x) { return std::sin(1.3 * x) + 0.2 * x; };
  for (int k = 0; k < 25; ++k) {
    const double x = 0.11 + 0.23 * k;
    test += fmt::format("{},{},0\n", x, truth(x));
    at += fmt::format("{}\n", x);
  }
  const std::string study =
      "[campaign]\nbudget = 60\n[pool]\nfile = \"pool.csv\"\n[noise]\nnugget = 0\n[[level]]\nname = "
      "\"coarse\"\nnoise_sd = 0.3\ncost = 1\n[[level]]\nname = \"fine\"\nnoise_sd = 0.05\ncost = 6\n"
      "[annotator]\nsimulated = \"sine\"\n";
  const Desk desk(study);
  desk.folder.write("study.toml", study);  // a desk gives its model, which is not averaged
  desk.folder.write("pool.csv", pool);
  desk.folder.write("at.csv", at);
  const std::filesystem::path table = desk.folder.write("test.csv", test);
  ASSERT_EQ(desk.run({"run", "C", "--study", "study.toml"}).exit_code, 0);
  const ProgramResult predicted = desk.run({"predict", "C", "--at", "at.csv", "--format", "json"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  const nlohmann::json rows = nlohmann::json::parse(predicted.out).at("rows");
  double squares = 0.0, variances = 0.0;
  for (const nlohmann::json& row : rows) {
    const double error = truth(row.at("x").get<double>()) - row.at("mean").get<double>();
    squares += error * error / static_cast<double>(rows.size());
    variances += row.at("variance").get<double>() / static_cast<double>(rows.size());
  }
  const Campaign campaign = Campaign::open(desk.folder.path() / "C", Access::read);
  const CampaignData data = campaign_data(campaign, read_held_out(table, campaign.study()));
  ASSERT_TRUE(data.is_held_out);
  const auto& last = data.course.errors.back();
  EXPECT_NEAR(last.error, std::sqrt(squares), 1e-9);
  EXPECT_NEAR(last.expected, std::sqrt(variances), 1e-9);
  // By the point estimate, which choices use, they are others.
  const Vector mean = StudyLearner(campaign.study())
                          .unaveraged(campaign.model())
                          .predict(read_held_out(table, campaign.study()).points)
                          .marginals.mean;
  double other = 0.0;
  for (Index i = 0; i < mean.size(); ++i) {
    const double x = 0.11 + 0.23 * static_cast<double>(i), error = truth(x) - mean(i);
    other += error * error / static_cast<double>(mean.size());
  }
  EXPECT_GT(std::abs(std::sqrt(other) - last.error), 1e-6);
}

TEST(Report, RefusesWhatItCannotUseAndWritesNothing) {
  const Desk desk(sine_study());
  ASSERT_EQ(desk.run({"init", "C", "--study", "study.toml"}).exit_code, 0);
  desk.folder.write("test.csv", "x,y\n0,0\n1,abc\n");
  expect_sentence(desk.run({"report", "C", "--out", "R.html", "--test", "test.csv"}), 2);
  desk.folder.write("short.csv", "x\n0\n");
  expect_sentence(desk.run({"report", "C", "--out", "R.html", "--test", "short.csv"}), 2);
  desk.folder.write("noise.csv", "x,y,noise_sd\n0,0,-1\n");
  expect_sentence(desk.run({"report", "C", "--out", "R.html", "--test", "noise.csv"}), 2);
  desk.folder.write("empty.csv", "x,y\n");
  expect_sentence(desk.run({"report", "C", "--out", "R.html", "--test", "empty.csv"}), 2);
  expect_sentence(desk.run({"report", "C", "--out", "missing/R.html"}), 2);
  EXPECT_EQ(desk.run({"report", "C"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(desk.folder.path() / "R.html"));
}

// All there is besides the campaign, in whose store readers leave traces of their own.
std::vector<std::string> names_beside(const Desk& desk) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(desk.folder.path())) {
    const std::string name = entry.path().lexically_relative(desk.folder.path()).string();
    if (!name.starts_with("C/")) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Report, WritesThePageAndItsPicturesOrNeither) {
  const Desk desk(sine_study());
  ASSERT_EQ(desk.run({"run", "C", "--study", "study.toml"}).exit_code, 0);
  std::filesystem::create_directory(desk.folder.path() / "page-is-a-folder");
  desk.folder.write("blocked/money.svg/in-the-way", "");
  desk.folder.write("file", "");
  const std::vector<std::string> before = names_beside(desk);
  const auto refused = [&](const std::string& out, const std::string& figures, const std::string& sentence) {
    const ProgramResult result = desk.run({"report", "C", "--out", out, "--figures", figures});
    expect_sentence(result, 2);
    EXPECT_EQ(result.err, sentence + "\n");
    EXPECT_EQ(names_beside(desk), before) << sentence;
  };
  refused("missing/R.html", "new/pictures", "missing/R.html: cannot be written (No such file or directory)");
  refused("page-is-a-folder", "new/pictures/", "page-is-a-folder: cannot be written (Is a directory)");
  refused("R.html", "blocked", "blocked/money.svg: cannot be written (Is a directory)");
  refused("R.html", "file/pictures", "file/pictures: cannot be made (Not a directory)");
}

TEST(Report, ThePageMayStandAmongItsPictures) {
  const Desk desk(sine_study());
  ASSERT_EQ(desk.run({"run", "C", "--study", "study.toml"}).exit_code, 0);
  EXPECT_EQ(desk.run({"report", "C", "--out", "new/R.html", "--figures", "new"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(desk.folder.path() / "new/R.html"));
  EXPECT_TRUE(std::filesystem::exists(desk.folder.path() / "new/money.svg"));
}

TEST(Report, WorksBeforeAnythingIsAnswered) {
  const Desk desk(sine_study());
  ASSERT_EQ(desk.run({"init", "C", "--study", "study.toml"}).exit_code, 0);
  const ProgramResult result = desk.run({"report", "C", "--out", "R.html"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(markup_fault(desk.folder.read("R.html")), "");
}

TEST(Status, SaysWhereTwoLevelsDisagree) {
  const CampaignDesk desk(price_list_campaign("budget = 100\n"));
  desk.folder.write("told.csv", "id,point,level,y\n" + desk.ask().at(0).at("id").dump() + ",a,coarse,9\n");
  desk.done("tell", {"--csv", "told.csv"});
  EXPECT_EQ(desk.done("status", {"--details"}).find("same point"), std::string::npos);
  EXPECT_TRUE(desk.status().at("level_offsets").empty());
  desk.folder.write("more.csv", "id,point,level,y\n" + desk.ask().at(0).at("id").dump() + ",a,fine,0\n");
  desk.done("tell", {"--csv", "more.csv"});
  const std::string text = desk.done("status");
  EXPECT_NE(text.find("coarse reads 9 above fine"), std::string::npos) << text;
  EXPECT_NE(text.find("MORE THAN NOISE"), std::string::npos) << text;
  const nlohmann::json offsets = desk.status().at("level_offsets");
  ASSERT_EQ(offsets.size(), 1U);
  const nlohmann::json& offset = offsets.at(0);
  EXPECT_EQ(offset.at("level"), "coarse");
  EXPECT_EQ(offset.at("other"), "fine");
  EXPECT_EQ(offset.at("points"), 1);
  EXPECT_DOUBLE_EQ(offset.at("offset"), 9.0);
  const double error = std::sqrt(0.5 * 0.5 + 0.1 * 0.1);
  EXPECT_DOUBLE_EQ(offset.at("standard_error"), error);
  EXPECT_DOUBLE_EQ(offset.at("low"), 9.0 - 1.96 * error);
  EXPECT_DOUBLE_EQ(offset.at("high"), 9.0 + 1.96 * error);
  EXPECT_EQ(offset.at("bias"), true);
}

}  // namespace
}  // namespace acuity::testing::report_test
