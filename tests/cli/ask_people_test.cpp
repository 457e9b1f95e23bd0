// People who answer: a person is a level, nobody gets an item twice, and everybody sees what he has.
#include <gtest/gtest.h>

#include <set>

#include "support/campaign_desk.hpp"

namespace acuity::testing::ask_people_test {
namespace {

// Classes, at two accuracies; points may be repeated.
std::string people_campaign(const std::string& people = "", const std::string& budget = "200") {
  return with(with(binary_campaign(people), "budget", budget + "\ninitial = 0"), "id",
              "\"case\"\nrepeat = true");
}

std::string point_of(const nlohmann::json& suggestion) {
  return suggestion.at("point").get<std::string>();
}

TEST(AskPeople, ALevelIsAllThatIsAskedFor) {
  const CampaignDesk desk(people_campaign());
  for (const char* level : {"crowd", "expert", "crowd"}) {
    const auto three = desk.ask({"-n", "3", "--level", level});
    ASSERT_EQ(three.size(), 3U);
    for (const auto& one : three) EXPECT_EQ(one.at("level"), level);
  }
  desk.expect_refusal("ask", {"--level", "exprt"},
                      "level is \"exprt\", must be one of \"crowd\" or \"expert\"");
  desk.expect_refusal("ask", {"--pending", "--level", "crowd"},
                      "--pending asks for nothing, --budget, --lease, --level, --capacity, --max-cost and "
                      "--yes must be left out");
}

TEST(AskPeople, ExplainSaysThatNotEverythingWasAllowed) {
  const CampaignDesk desk(people_campaign());
  desk.ask({"--level", "expert"});
  const std::string text = desk.done("explain", {"1"});
  EXPECT_NE(text.find("Not every candidate was allowed: "), std::string::npos) << text;
  EXPECT_NE(text.find("Otherwise point a at level \"crowd\" would have been chosen.\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("What would change the choice"), std::string::npos) << text;
  desk.ask();
  EXPECT_EQ(desk.done("explain", {"2"}).find("Not every candidate"), std::string::npos);
}

TEST(AskPeople, ALevelOfALadderIsNamedByItsPrecision) {
  const CampaignDesk desk(ladder_campaign());
  EXPECT_EQ(desk.ask({"--level", "inf"}).at(0).at("alpha"), "inf");
  EXPECT_EQ(desk.ask({"--level", "1"}).at(0).at("alpha"), 1);
  desk.expect_refusal("ask", {"--level", "17"},
                      "level is \"17\", must be one of the values of alpha on offer, such as 1");
  const CampaignDesk finest(ladder_campaign("", "[acquisition]\ninformation = \"bald\"\n"));
  EXPECT_EQ(finest.ask({"--level", "2"}).at(0).at("alpha"), 2) << "also if nothing but the finest is chosen";
  const CampaignDesk range(with(ladder_campaign(), "alpha", "{ from = 1, to = inf, continuous = true }"));
  range.expect_refusal("ask", {"--level", "2"},
                       "level is \"2\", must be left out: the study offers every precision, not a list");
}

TEST(AskPeople, ALevelThatCannotBeHadIsFourWhileOthersCan) {
  const CampaignDesk desk(people_campaign("", "4"));
  const ProgramResult expert = desk.run("ask", {"--level", "expert"});
  EXPECT_EQ(expert.exit_code, 4);
  EXPECT_EQ(expert.err, "c.acuity: nothing to ask now: level \"expert\" costs 5, and 4 remains\n");
  EXPECT_EQ(desk.ask({"-n", "9", "--level", "crowd"}).size(), 4U);
  for (int id = 1; id <= 4; ++id) desk.done("tell", {std::to_string(id), "yes"});
  EXPECT_EQ(desk.run("ask", {"--level", "expert"}).exit_code, 3) << "nobody can be asked";
}

TEST(AskPeople, TheInitialPointsAreAskedForAtTheLevelOfThePerson) {
  const std::string study =
      with(binary_campaign(), "budget", "200\ninitial = { count = 3, level = \"expert\" }");
  const auto points = [](const nlohmann::json& suggestions) {
    std::set<std::string> names;
    for (const auto& one : suggestions) names.insert(point_of(one));
    return names;
  };
  const CampaignDesk any(study), crowd(study);
  const auto design = any.ask({"-n", "3"}), by_crowd = crowd.ask({"-n", "3", "--level", "crowd"});
  EXPECT_EQ(points(design), points(by_crowd));
  for (const auto& one : by_crowd) EXPECT_EQ(one.at("level"), "crowd");
}

TEST(AskPeople, NobodyGetsAnItemTwice) {
  const CampaignDesk desk(people_campaign(), "case,x\na,0\nb,1\nc,2\n");
  std::set<std::string> seen;
  for (int id = 1; id <= 3; ++id) {
    const std::string point = point_of(desk.ask({"--worker", "anna"}).at(0));
    EXPECT_TRUE(seen.insert(point).second) << point << " again";
    if (id == 1) desk.done("fail", {"1"});
    if (id == 2) desk.done("tell", {"2", "no"});
  }
  const ProgramResult none = desk.run("ask", {"--worker", "anna", "--format", "json"});
  EXPECT_EQ(none.exit_code, 4);
  EXPECT_EQ(none.err, "c.acuity: nothing to ask now: anna has had every point that is open\n");
  EXPECT_EQ(desk.ask({"--worker", "bo", "-n", "5"}).size(), 3U) << "nor within one ask";
  EXPECT_EQ(desk.ask({"--worker", "cy", "--capacity", "5"}).size(), 3U) << "nor within a capacity";
  EXPECT_EQ(desk.ask({"-n", "5"}).size(), 5U) << "without a name points are repeated";
  desk.done("release", {"3"});
  EXPECT_EQ(desk.ask({"--worker", "anna"}).size(), 1U) << "what was given back may be had again";
  desk.done("tell", {"3", "yes"});
  const auto rest = desk.run("ask", {"--worker", "anna"});
  EXPECT_EQ(rest.exit_code, 4) << "a late answer counts: " << rest.out;
}

TEST(AskPeople, NumbersMayBeMeasuredTwiceByTheSamePerson) {
  const CampaignDesk desk(with(price_list_campaign(), "id", "\"case\"\nrepeat = true"), "case,x\na,0\n");
  for (int k = 0; k < 3; ++k) EXPECT_EQ(desk.ask({"--worker", "anna"}).size(), 1U);
}

TEST(AskPeople, AnItemHasAtMostSoManyAnswersAtALevel) {
  const std::string study =
      with(binary_campaign("[people]\nmax_per_item = 2\n"), "budget", "200\ninitial = 0");
  const CampaignDesk desk(study, "case,x\na,0\nb,1\n");
  std::map<std::pair<std::string, std::string>, int> counts;
  for (const auto& one : desk.ask({"-n", "99"}))
    ++counts[{point_of(one), one.at("level").get<std::string>()}];
  EXPECT_EQ(counts.size(), 4U);
  for (const auto& [item, count] : counts) EXPECT_EQ(count, 2) << item.first << " at " << item.second;
  EXPECT_EQ(desk.run("ask").exit_code, 4);
  desk.done("release", {"1"});
  EXPECT_EQ(desk.ask({"-n", "99"}).size(), 1U);
  for (int id = 2; id <= 9; ++id) desk.done("tell", {std::to_string(id), "yes"});
  EXPECT_EQ(desk.run("ask").exit_code, 3);
  const Folder folder;
  folder.write("pool.csv", "case,x\na,0\nb,1\n");
  const auto refusal = [&](const std::string& text) {
    folder.write("s.toml", text);
    const ProgramResult result = run_acuity({"check", "s.toml"}, folder.path());
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_EQ(refusal(with(study, "id", "\"case\"\nrepeat = false")),
            "s.toml: people.max_per_item is 2, must be 1 with pool.repeat = false, or pool.repeat must be "
            "left out\n");
  EXPECT_EQ(refusal(with(study, "max_per_item", "0")),
            "s.toml: people.max_per_item is 0, must be a whole number, 1 or more\n");
  EXPECT_EQ(refusal(price_list_campaign("", "[people]\nmax_per_item = 2\n")),
            "s.toml: people is for binary targets, target.kind is \"real\"\n");
}

TEST(AskPeople, EverybodySeesWhatHeHas) {
  const CampaignDesk desk(people_campaign());
  desk.done("ask", {"--worker", "anna", "-n", "2", "--lease", "2h"});
  desk.done("ask", {"--worker", "bo"});
  const auto ids = [&](const std::vector<std::string>& words) {
    std::set<int> list;
    for (const auto& one : desk.ask(words)) list.insert(one.at("id").get<int>());
    return list;
  };
  EXPECT_EQ(ids({"--pending", "--worker", "anna"}), (std::set<int>{1, 2}));
  EXPECT_EQ(ids({"--pending", "--worker", "bo"}), (std::set<int>{3}));
  EXPECT_EQ(ids({"--pending"}), (std::set<int>{1, 2, 3}));
  EXPECT_EQ(desk.ask({"--pending"}).at(2).at("worker"), "bo");
  EXPECT_TRUE(desk.ask({"--pending", "--worker", "anna"}).at(0).at("lease_until").is_string());
  const std::string table = desk.done("ask", {"--pending", "--worker", "bo"});
  EXPECT_NE(table.find("worker"), std::string::npos) << table;
  const ProgramResult none = desk.run("ask", {"--pending", "--worker", "cleo"});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_EQ(none.err, "c.acuity: nothing is pending for cleo\n");
  const std::string form = desk.done("ask", {"--pending", "--worker", "bo", "--format", "csv"});
  EXPECT_EQ(form.find("worker"), std::string::npos) << "a form to fill in: " << form;
}

TEST(AskPeople, TheLogSaysWhoSoThatTheRuleOutlivesTheProcess) {
  const CampaignDesk desk(people_campaign(), "case,x\na,0\nb,1\n");
  desk.done("ask", {"--worker", "anna", "-n", "2"});
  int named = 0;
  for (const auto& event : desk.events()) named += event.value("worker", "") == "anna" ? 1 : 0;
  EXPECT_EQ(named, 2);
  EXPECT_EQ(desk.run("ask", {"--worker", "anna"}).exit_code, 4);
  EXPECT_EQ(desk.run("verify").exit_code, 0);
}

}  // namespace
}  // namespace acuity::testing::ask_people_test
