// Several suggestions that share a capacity, such as the vessels of a reactor.
#include <gtest/gtest.h>

#include "support/campaign_desk.hpp"

namespace acuity::testing::ask_capacity_test {
namespace {

// Replicates in 1, 2 or 4 vessels with a set-up price.
std::string vessels(const std::string& campaign = "", const std::string& rest = "") {
  std::string study = "[campaign]\nunit = \"EUR\"\n" + campaign +
                      "[pool]\nfile = \"pool.csv\"\nid = \"case\"\nrepeat = true\n";
  for (const auto& [units, sd] : {std::pair(1, 0.4), std::pair(2, 0.283), std::pair(4, 0.2)})
    study += "[[level]]\nname = \"x" + std::to_string(units) + "\"\nnoise_sd = " + std::to_string(sd) +
             "\ncost = { setup = 40, per = 12, units = " + std::to_string(units) +
             " }\nunits = " + std::to_string(units) + "\n";
  return study + rest;
}

int units_of(const nlohmann::json& suggestions) {
  int sum = 0;
  for (const auto& one : suggestions) sum += std::stoi(one.at("level").get<std::string>().substr(1));
  return sum;
}

TEST(AskCapacity, FillsTheVesselsByTheRuleOfChoice) {
  for (const char* plan : {"0", "0.4", "\"none\""}) {
    const CampaignDesk desk(vessels("budget = 2500\n", std::string("[acquisition]\nplan = ") + plan + "\n"));
    EXPECT_EQ(units_of(desk.ask({"--capacity", "8"})), 8) << plan;
    EXPECT_EQ(units_of(desk.ask({"--capacity", "7"})), 7) << plan;
    EXPECT_LE(desk.ask({"--capacity", "8", "-n", "2"}).size(), 2U) << plan;
  }
}

TEST(AskCapacity, OneLevelTakesWhatFits) {
  const CampaignDesk desk(vessels());
  const auto pairs = desk.ask({"--capacity", "7", "--level", "x2"});
  EXPECT_EQ(pairs.size(), 3U);
  for (const auto& one : pairs) EXPECT_EQ(one.at("level"), "x2");
  const ProgramResult none = desk.run("ask", {"--capacity", "3", "--level", "x4"});
  EXPECT_EQ(none.exit_code, 4);
  EXPECT_EQ(none.err,
            "c.acuity: nothing to ask now: level \"x4\" takes 4 units, and 3 of the capacity are left\n");
}

TEST(AskCapacity, LevelsWithoutUnitsTakeOne) {
  const CampaignDesk desk(price_list_campaign());
  EXPECT_EQ(desk.ask({"--capacity", "3"}).size(), 3U);
  const CampaignDesk ladder(ladder_campaign());
  EXPECT_EQ(ladder.ask({"--capacity", "3"}).size(), 3U);
}

TEST(AskCapacity, TheInitialDesignComesFirst) {
  const CampaignDesk desk(vessels("initial = { count = 3, level = \"x2\" }\n"));
  const auto first = desk.ask({"--capacity", "8"});
  EXPECT_EQ(units_of(first), 8);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(first.at(k).at("level"), "x2");
}

TEST(AskCapacity, WhatIsLeftOfTheInitialDesignIsNotReplaced) {
  const CampaignDesk desk(vessels("initial = { x4 = 2, x1 = 3 }\n"));
  const ProgramResult first = desk.run("ask", {"--capacity", "8", "--format", "json"});
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(units_of(nlohmann::json::parse(first.out).at("suggestions")), 7) << "3 + 4";
  EXPECT_EQ(
      first.err,
      "c.acuity: no more to ask: the initial design comes first, and what is left of it does not fit into 1 "
      "unit\n");
  const auto second = desk.ask({"--capacity", "8"});
  EXPECT_EQ(second.at(0).at("level"), "x4") << "the rest of it";
  EXPECT_EQ(units_of(second), 8);
  const CampaignDesk small(vessels("initial = { x4 = 2, x1 = 3 }\n"));
  EXPECT_EQ(units_of(small.ask({"--capacity", "3"})), 3);
  EXPECT_EQ(units_of(small.ask({"--capacity", "3"})), 3) << "it never fits, so choices begin";
}

TEST(AskCapacity, WhatDoesNotFitIsSaid) {
  const CampaignDesk desk(vessels("budget = 100\n"));
  const ProgramResult some = desk.run("ask", {"--capacity", "8", "--format", "json"});
  EXPECT_EQ(some.exit_code, 0);
  EXPECT_NE(some.err.find("c.acuity: no more to ask: no level is affordable"), std::string::npos) << some.err;
  desk.expect_refusal("ask", {"--capacity", "0"},
                      "--capacity is \"0\", must be a whole number from 1 to 1000000000");
  desk.expect_refusal("ask", {"--capacity", "2.5"},
                      "--capacity is \"2.5\", must be a whole number from 1 to 1000000000");
  const Folder folder;
  folder.write("pool.csv", CampaignDesk::eight_points);
  folder.write("s.toml", with(vessels(), "units", "0"));
  const ProgramResult refused = run_acuity({"check", "s.toml"}, folder.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err, "s.toml: level 1.units is 0, must be a whole number, 1 or more\n");
}

}  // namespace
}  // namespace acuity::testing::ask_capacity_test
