#include "service/first_screen.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "numerics/random.hpp"
#include "support/memory_campaigns.hpp"
#include "text/number_text.hpp"
#include "views/campaign_status.hpp"
#include "views/campaign_text.hpp"

// What the page begins with says what the data say, in words that need no study file and no mathematics.

namespace acuity::testing::first_screen_test {
namespace {

double normal(std::int64_t id) {
  numerics::Draws draws(11, numerics::Purpose::resampling, static_cast<std::uint64_t>(id));
  return draws.normal();
}

std::string one_level(const std::string& campaign, double declared, const std::string& rest = "") {
  return fmt::format(
      "[campaign]\n{}\nunit = \"h\"\n[pool]\nfile = \"pool.csv\"\nrepeat = true\n[target]\nunit = \"N m\"\n"
      "[[level]]\nname = \"run\"\nnoise_sd = {}\ncost = 1\n{}",
      campaign, declared, rest);
}

struct Screen {
  Json json;
  CampaignData data;
  NextExplanation next;
};

Screen screen_of(MemoryCampaign& campaign) {
  Screen screen{.json = {}, .data = campaign_data(*campaign), .next = explain_next(*campaign, 1)};
  screen.json = first_screen(*campaign, screen.data, three_verdicts(*campaign, screen.data, &screen.next, ""),
                             &screen.next);
  return screen;
}

void play(MemoryCampaign& campaign, int answers, double noise) {
  campaign.go(answers, [&](const Suggestion& asked) {
    return std::sin(2.0 * asked.inputs[0]) + 0.3 * asked.inputs[0] + noise * normal(asked.id);
  });
}

std::string text(const Json& fact, const std::string& key) {
  return fact.at(key).get<std::string>();
}

// Keys such as stop.predictive_sd, commands, and units of information.
bool is_for_experts(const std::string& sentence) {
  static const std::regex words(R"(\bnats?\b|\bbits?\b|\bvariance\b|\b[a-z]+\.[a-z]+_[a-z]+|\bacuity [a-z])");
  return std::regex_search(sentence, words);
}

TEST(FirstScreen, SaysWhatAFreshCampaignDoesFirst) {
  MemoryCampaign campaign(one_level("budget = 60\ninitial = 7", 0.1), pool_on_a_line(60, 6.0));
  const Screen screen = screen_of(campaign);
  ASSERT_GE(screen.json.at("first").size(), 3U);
  EXPECT_TRUE(screen.json["first"][0].get<std::string>().starts_with("First come 7 answers at points "))
      << screen.json["first"];
  EXPECT_EQ(text(screen.json.at("error"), "value"), "Not known yet");
  EXPECT_EQ(text(screen.json.at("trust"), "value"), "Not known yet");
  EXPECT_EQ(text(screen.json.at("money"), "value"), "60 h left");
  EXPECT_EQ(text(screen.json.at("money"), "sentence"), "The first 7 answers cost about 7 h of it.");
  EXPECT_EQ(screen.json.at("next").at("point"), screen.next.result.suggestions.front().point);
}

TEST(FirstScreen, HasTheErrorTheTrustAndTheMoneyOfTheData) {
  MemoryCampaign campaign(one_level("budget = 60", 0.1), pool_on_a_line(60, 6.0));
  play(campaign, 45, 0.1);
  const Screen screen = screen_of(campaign);
  EXPECT_TRUE(screen.json.at("first").empty());
  const TypicalError& error = screen.data.typical_error.value();
  EXPECT_EQ(text(screen.json.at("error"), "value"), rounded(error.expected(), 2) + " N m");
  EXPECT_NE(text(screen.json.at("error"), "sentence")
                .find(rounded(100.0 * error.expected() / *error.range, 2) + " % of their range"),
            std::string::npos);
  EXPECT_EQ(text(screen.json.at("trust"), "value"), "Calibrated");
  EXPECT_EQ(text(screen.json.at("trust"), "state"), "good");
  EXPECT_EQ(text(screen.json.at("money"), "value"), "15 h left");
  EXPECT_NE(text(screen.json.at("money"), "sentence").find("about 15 more answers"), std::string::npos)
      << screen.json.at("money");
  EXPECT_FALSE(text(screen.json.at("next"), "why").empty());
}

TEST(FirstScreen, DoesNotPraiseIntervalsThatAreTooNarrow) {
  MemoryCampaign campaign(one_level("budget = 60", 0.1), pool_on_a_line(60, 6.0));
  play(campaign, 45, 0.5);
  const Json trust = screen_of(campaign).json.at("trust");
  EXPECT_EQ(text(trust, "value"), "Too narrow");
  EXPECT_EQ(text(trust, "state"), "bad");
}

// One verdict is said in one way: how it is introduced differs, and nothing else.
TEST(FirstScreen, SaysOfTheIntervalsWhatStatusAndReportSay) {
  for (const auto& [answers, noise] : {std::pair(3, 0.1), {20, 0.1}, {45, 0.1}, {45, 0.5}}) {
    MemoryCampaign campaign(one_level("budget = 60", 0.1), pool_on_a_line(60, 6.0));
    play(campaign, answers, noise);
    const Screen screen = screen_of(campaign);
    std::string sentence = text(screen.json.at("trust"), "sentence");
    const std::string report = three_verdicts(*campaign, screen.data, &screen.next, "")[1].answer;
    EXPECT_TRUE(report.ends_with(sentence.substr(1))) << report << "\n" << sentence;
    for (const std::string start : {"Intervals are ", "It cannot be told yet"})
      if (sentence.starts_with(start)) sentence.erase(0, start.size());
    sentence.pop_back();
    EXPECT_NE(status_text(*campaign).find(sentence + "\n"), std::string::npos) << sentence;
  }
}

TEST(FirstScreen, EndsWithTheMoney) {
  MemoryCampaign campaign(one_level("budget = 12", 0.1), pool_on_a_line(60, 6.0));
  play(campaign, 12, 0.1);
  const Screen screen = screen_of(campaign);
  EXPECT_EQ(text(screen.json.at("money"), "value"), "Finished");
  EXPECT_TRUE(screen.json.at("next").is_null());
  EXPECT_EQ(text(screen.json, "nothing_next"), text(screen.json.at("money"), "sentence"));
  EXPECT_NE(text(screen.json, "nothing_next")
                .find(end_text(campaign->state(), screen.next.result.reason).substr(1)),
            std::string::npos);
}

// A plan that was made for less money says nothing about all of it.
TEST(FirstScreen, DoesNotCountByAPlanForLessMoney) {
  MemoryCampaign campaign(two_level_study("budget = 30\nunit = \"h\""), pool_on_a_line(60, 6.0));
  play(campaign, 12, 0.1);
  campaign->set_budget(200.0);
  const Screen screen = screen_of(campaign);
  const double free = screen.data.books.free;
  ASSERT_GT(free, 100.0);
  double paid = 0.0;
  for (const ReportedAnswer& one : screen.data.answers.all) paid += one.cost;
  const double more = free * static_cast<double>(screen.data.answers.all.size()) / paid;
  const std::string sentence = text(screen.json.at("money"), "sentence");
  std::smatch count;
  ASSERT_TRUE(std::regex_search(sentence, count, std::regex("about ([0-9]+) more answers"))) << sentence;
  EXPECT_NEAR(std::stod(count[1]), more, 0.5);
}

TEST(FirstScreen, WaitsForWhatIsBeingComputed) {
  MemoryCampaign campaign(one_level("budget = 60", 0.1), pool_on_a_line(60, 6.0));
  play(campaign, 8, 0.1);
  const CampaignData quick = quick_campaign_data(*campaign);
  const Json screen = first_screen(*campaign, quick, three_verdicts(*campaign, quick, nullptr, ""), nullptr);
  for (const char* fact : {"error", "trust"}) EXPECT_EQ(text(screen.at(fact), "sentence"), "Being computed.");
  EXPECT_EQ(text(screen, "nothing_next"), "The next question is being computed.");
}

TEST(FirstScreen, IsForEverybody) {
  for (const auto& [answers, noise] : {std::pair{0, 0.1}, {3, 0.1}, {30, 0.1}, {45, 0.5}, {60, 0.1}}) {
    MemoryCampaign campaign(one_level("budget = 60", 0.1, "[stop]\npredictive_sd = 0.001\n"),
                            pool_on_a_line(60, 6.0));
    play(campaign, answers, noise);
    const Json screen = screen_of(campaign).json;
    for (const char* fact : {"error", "trust", "money"})
      EXPECT_FALSE(is_for_experts(text(screen.at(fact), "sentence"))) << screen.at(fact);
    EXPECT_FALSE(is_for_experts(text(screen, "nothing_next"))) << screen;
    for (const Json& step : screen.at("first")) EXPECT_FALSE(is_for_experts(step.get<std::string>())) << step;
    if (!screen.at("next").is_null()) {
      EXPECT_FALSE(is_for_experts(text(screen.at("next"), "why"))) << screen.at("next");
    }
  }
  EXPECT_TRUE(is_for_experts("state that as stop.predictive_sd"));
  EXPECT_TRUE(is_for_experts("0.803 nats, by acuity ask C"));
}

}  // namespace
}  // namespace acuity::testing::first_screen_test
