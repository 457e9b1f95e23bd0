// `score` and `explain --next` are what `ask` does, also when it would learn or plan first.
#include "explain/look_ahead.hpp"

#include <gtest/gtest.h>

#include "support/campaigns.hpp"
#include "support/moments.hpp"

namespace acuity::testing::look_ahead_test {
namespace {

using Json = nlohmann::json;

struct Case {
  std::string campaign, model, rest;
};

// Before every ask: what score and explain --next say, and then what ask says.
int compare(const Case& one, int steps) {
  Desk desk(
      "[campaign]\n" + one.campaign + "\n[pool]\nfile = \"pool.csv\"\n[model]\n" + one.model +
          "\n[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n[[level]]\nname = \"fine\"\nnoise_sd = "
          "0.05\ncost = 4\n" +
          one.rest,
      20);
  EXPECT_EQ(desk.run({"init", "C", "--study", "study.toml"}).exit_code, 0);
  int learned = 0;
  for (int k = 1; k <= steps; ++k) {
    const ProgramResult explained = desk.run({"explain", "C", "--next", "--format", "json"});
    const ProgramResult scored = desk.run({"score", "C", "--top", "1", "--format", "json"});
    const std::size_t before = Campaign::open(desk.campaign(), Access::read).events().size();
    const ProgramResult asked = desk.run({"ask", "C", "--format", "json"});
    EXPECT_EQ(asked.exit_code, 0) << asked.err;
    if (asked.exit_code != 0) break;
    learned += Campaign::open(desk.campaign(), Access::read).events().size() > before + 1 ? 1 : 0;
    const Json is = Json::parse(asked.out)["suggestions"][0];
    const Json row = Json::parse(scored.out)["rows"][0];
    EXPECT_EQ(row["id"], is["point"]) << "step " << k;
    EXPECT_EQ(row["level"], is["level"]) << "step " << k;
    EXPECT_EQ(row["information"], is["information"]) << "step " << k;
    EXPECT_EQ(row["cost"], is["cost"]) << "step " << k;
    const Json next = Json::parse(explained.out);
    EXPECT_EQ(next["point"], is["point"]) << "step " << k;
    EXPECT_EQ(next["information"], is["information"]) << "step " << k;
    const double x = is["x"];
    EXPECT_EQ(
        desk.run({"tell", "C", std::to_string(k), fmt::format("{}", true_answer(x, HUGE_VAL))}).exit_code, 0);
  }
  return learned;
}

TEST(LookAhead, IsWhatAskDoesWhenAFitIsDue) {
  EXPECT_GE(compare({"budget = 40\nseed = 3", "fit = 3\nrestarts = 0", ""}, 8), 2);
}

TEST(LookAhead, IsWhatAskDoesWhenAPlanIsDue) {
  EXPECT_GE(compare({"budget = 20", "fit = \"never\"\namplitude = 1.0\nlengthscale = 1.0",
                     "[acquisition]\nplan = \"budget\"\n"},
                    4),
            2);
}

TEST(LookAhead, IsWhatAskDoesInTheInitialPhase) {
  compare({"budget = 40\ninitial = 3\nseed = 5", "fit = \"never\"", ""}, 5);
}

TEST(LookAhead, ChangesNothing) {
  Desk desk(campaign_study("budget = 20", "fit = 2\nrestarts = 0"));
  desk.run({"init", "C", "--study", "study.toml"});
  for (const char* id : {"1", "2", "3"}) {
    desk.run({"ask", "C"});
    desk.run({"tell", "C", id, "0.5"});
  }
  const std::string before = desk.run({"export", "C", "--events", "-"}).out;
  EXPECT_EQ(desk.run({"score", "C", "--top", "1"}).exit_code, 0);
  EXPECT_EQ(desk.run({"explain", "C", "--next"}).exit_code, 0);
  EXPECT_EQ(desk.run({"export", "C", "--events", "-"}).out, before);
}

// An export with what was excluded is known to another campaign as it is.
TEST(LookAhead, ExclusionsTravelWithAnExport) {
  const Desk desk(campaign_study("budget = 20", "fit = \"never\""), 6);
  desk.run({"init", "C", "--study", "study.toml"});
  desk.run({"ask", "C", "-n", "3"});
  desk.run({"tell", "C", "1", "0.5"});
  desk.run({"fail", "C", "2", "--exclude", "--reason", "no such part, ever"});
  desk.run({"release", "C", "3"});
  ASSERT_EQ(desk.run({"export", "C", "--annotations", "known.csv"}).exit_code, 0);
  const std::string there = desk.run({"score", "C", "--format", "csv"}).out;
  EXPECT_EQ(desk.run({"score", "study.toml", "--annotations", "known.csv", "--format", "csv"}).out, there);
  desk.folder.write("second.toml",
                    campaign_study("budget = 20\ninitial = { file = \"known.csv\" }", "fit = \"never\""));
  ASSERT_EQ(desk.run({"init", "D", "--study", "second.toml"}).exit_code, 0);
  EXPECT_EQ(desk.run({"score", "D", "--format", "csv"}).out, there);
  // Who answered is the table now.
  const std::string exported = without_moments(desk.run({"export", "D", "--annotations", "-"}).out);
  EXPECT_EQ(std::regex_replace(exported, std::regex(",initial,"), ",,"),
            without_moments(desk.folder.read("known.csv")));
}

}  // namespace
}  // namespace acuity::testing::look_ahead_test
