#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "support/campaign_desk.hpp"
#include "support/campaigns.hpp"

namespace acuity::testing::status_test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::ptrdiff_t words_in(const std::string& line) {
  std::istringstream stream(line);
  return std::distance(std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>());
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Status, IsShortAndBeginsWithTheErrorToExpect) {
  const Desk desk(campaign_study("budget = 20\nunit = \"runs\"") + "[annotator]\nsimulated = \"sine\"\n");
  ASSERT_EQ(desk.run({"run", "C", "--study", "study.toml"}).exit_code, 0);
  const std::string text = desk.run({"status", "C"}).out;
  const std::vector<std::string> lines = lines_of(text);
  ASSERT_GE(lines.size(), 3U) << text;
  EXPECT_LE(lines.size(), 8U) << text;
  EXPECT_TRUE(lines[1].starts_with("error: typically off by ")) << text;
  for (const std::string& line : lines) EXPECT_LE(words_in(line), 20) << line;
  for (const char* word : {"nats", "bits", "stop.", "--", "lambda", "leave-one-out"})
    EXPECT_FALSE(has(text, word)) << word << "\n" << text;
  const std::string details = desk.run({"status", "C", "--details"}).out;
  EXPECT_GT(details.size(), 2 * text.size());
  for (const char* part : {"leave-one-out error of the answers", "last answers", "level", "intervals: "})
    EXPECT_TRUE(has(details, part)) << part << "\n" << details;
  const auto json = nlohmann::json::parse(desk.run({"status", "C", "--format", "json"}).out);
  EXPECT_GT(json.at("typical_error").get<double>(), 0.0);
  EXPECT_GT(json.at("typical_error_range").get<double>(), json.at("typical_error").get<double>());
  EXPECT_TRUE(json.contains("typical_error_calibrated"));
}

TEST(Status, TellsOfAnAuditBeforeDuringAndAfterIt) {
  const std::string study =
      campaign_study("budget = 40\nunit = \"runs\"") +
      "[annotator]\ncommand = \"awk -v x={x} 'BEGIN { print sin(2 * x) }'\"\n[audit]\nanswers = 4\n";
  const Desk desk(study);
  const std::string check = desk.run({"check", "study.toml"}).out;
  EXPECT_TRUE(has(check, "4 answers last, at points drawn at random, at ")) << check;
  EXPECT_TRUE(has(check, " runs; they judge the model, then it learns from them\n")) << check;
  ASSERT_EQ(desk.run({"init", "C", "--study", "study.toml"}).exit_code, 0);
  const std::string before = desk.run({"status", "C"}).out;
  EXPECT_TRUE(has(before, " runs are kept for 4 answers at ")) << before;
  const ProgramResult run = desk.run({"run", "C"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(has(run.err, ", for the audit\n")) << run.err;
  EXPECT_TRUE(has(run.err, "audited: the model learns from 4 answers of the audit from now on\n")) << run.err;
  const std::string after = desk.run({"status", "C"}).out;
  EXPECT_TRUE(has(after, "audit: the error at 4 random points is ")) << after;
  EXPECT_TRUE(has(after, ", judged by 4 answers at random points\n")) << after;
  const auto json = nlohmann::json::parse(desk.run({"status", "C", "--format", "json"}).out);
  EXPECT_EQ(json.at("verdict").at("about"), "audit");
  EXPECT_EQ(json.at("audit").at("told"), 4);
  EXPECT_TRUE(json.at("audit").at("complete").get<bool>());
  EXPECT_LE(json.at("audit").at("error_low").get<double>(), json.at("audit").at("error").get<double>());
  EXPECT_LE(json.at("spent").get<double>(), 40.0);
  const std::string why = desk.run({"explain", "C", std::to_string(json.at("annotations").get<int>())}).out;
  EXPECT_TRUE(has(why, "It was drawn at random for the audit")) << why;
}

TEST(Status, ShowsNoRemaindersOfRounding) {
  const CampaignDesk desk(
      "[campaign]\nunit = \"EUR\"\nbudget = 0.7\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
      "[[level]]\nname = \"crowd\"\nnoise_sd = 0.5\ncost = 0.1\n");
  for (int id = 1; id <= 7; ++id) {
    ASSERT_EQ(desk.ask().size(), 1U);
    desk.done("tell", {std::to_string(id), "0.3"});
  }
  const std::string text = desk.done("status");
  EXPECT_TRUE(has(text, "0.7 of 0.7 EUR spent, 0 reserved, 0 free\n")) << text;
  EXPECT_EQ(desk.status().at("free"), 0.0);
}

TEST(Status, ListsLevelsInTheOrderOfTheStudy) {
  const CampaignDesk desk(price_list_campaign("budget = 100\n"));
  desk.done("tell", {"--unasked", "--point", "b", "--level", "fine", "--y", "1"});
  desk.done("tell", {"--unasked", "--point", "c", "--level", "coarse", "--y", "2"});
  desk.done("tell", {"--unasked", "--point", "d", "--level", "coarse", "--y", "2"});
  EXPECT_TRUE(has(desk.done("status"), "answers: 3 (2 coarse, 1 fine), 0 pending\n")) << desk.done("status");
  EXPECT_EQ(desk.status().at("levels").at(0).at("level"), "coarse");
}

TEST(Status, NamesACommandThatWorksInThisState) {
  const CampaignDesk desk(price_list_campaign("budget = 2\n"));
  EXPECT_TRUE(
      has(desk.done("status"), "\nto continue: acuity ask c.acuity (an answer costs 1 to 10 hours)\n"))
      << desk.done("status");
  desk.ask();
  EXPECT_TRUE(has(desk.done("status"), "\nto record an answer: acuity tell c.acuity 1 Y\n"))
      << desk.done("status");
  desk.done("tell", {"1", "0.5"});
  desk.ask();
  desk.done("tell", {"2", "0.5"});
  const std::string text = desk.done("status");
  EXPECT_TRUE(has(text, "\nfinished: the budget is spent\n")) << text;
  EXPECT_FALSE(has(text, "acuity ask")) << text;
}

TEST(Status, SaysHowAnInterruptedRunContinues) {
  const Desk desk(campaign_study("budget = 20") + "[annotator]\nsimulated = \"sine\"\n");
  ASSERT_EQ(desk.run({"init", "C", "--study", "study.toml"}).exit_code, 0);
  EXPECT_TRUE(has(desk.run({"status", "C"}).out, "\nto continue: acuity run C\n"))
      << desk.run({"status", "C"}).out;
}

}  // namespace
}  // namespace acuity::testing::status_test
