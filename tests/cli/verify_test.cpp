// `acuity verify`: everything that can be wrong with a campaign's folder, in one look that changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "support/campaign_desk.hpp"
#include "support/forged_log.hpp"

namespace acuity::testing::verify_test {
namespace {

namespace fs = std::filesystem;

class Verify : public ::testing::Test {
 protected:
  Verify() : desk(price_list_campaign("budget = 100\n")) {
    desk.ask({"-n", "3"});
    desk.done("tell", {"1", "0.3"});
  }
  fs::path file(const char* name) const { return desk.folder.path() / "c.acuity" / name; }
  nlohmann::json found(int code) const {
    const ProgramResult result = desk.run("verify", {"--format", "json"});
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), code == 0 ? 0 : 1) << result.err;
    return nlohmann::json::parse(result.out);
  }
  static bool names(const nlohmann::json& found, const std::string& part) {
    const auto& problems = found.at("problems");
    return std::any_of(problems.begin(), problems.end(), [&](const nlohmann::json& one) {
      return one.get<std::string>().find(part) != std::string::npos;
    });
  }
  CampaignDesk desk;
};

TEST_F(Verify, SaysWhatItLookedAtInACampaignThatIsSound) {
  const ProgramResult result = desk.run("verify");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char* part : {"log", "study.toml", "pool.csv", "events", "5 events", "8 pool points"})
    EXPECT_NE(result.out.find(part), std::string::npos) << result.out;
  const nlohmann::json json = found(0);
  EXPECT_EQ(json.at("sound"), true);
  EXPECT_EQ(json.at("events"), 5);
  EXPECT_TRUE(json.at("problems").empty());
  for (const nlohmann::json& part : json.at("parts")) EXPECT_EQ(part.at("sound"), true) << part;
}

TEST_F(Verify, ListsEveryEventThatIsWrongAndNotTheFirstOnly) {
  std::vector<RawEvent> events = raw_events(file("events.sqlite"));
  for (const std::size_t k : {1U, 2U, 3U}) {
    nlohmann::json body = nlohmann::json::parse(events[k].body);
    body["row"] = 1'000'000;
    events[k].body = body.dump();
  }
  events.push_back({events.back().time, "told", R"({"id":2,"cost":-1,"values":[]})"});
  events.push_back({events.back().time, "released", R"({"id":3,"reason":7})"});
  forge_log(file("events.sqlite"), events);
  const nlohmann::json json = found(7);
  EXPECT_EQ(json.at("problem_count"), 5);
  for (const char* one : {"event 2 ", "event 3 ", "event 4 ", "event 6 ", "event 7 "})
    EXPECT_TRUE(names(json, one)) << one << json.dump(1);
}

TEST_F(Verify, ListsTheFirstTwentyAndCountsTheRest) {
  std::vector<RawEvent> events = raw_events(file("events.sqlite"));
  for (int k = 0; k < 50; ++k) events.push_back({events.back().time, "budget", R"({"by":"much"})"});
  forge_log(file("events.sqlite"), events);
  const nlohmann::json json = found(7);
  EXPECT_EQ(json.at("problem_count"), 50);
  EXPECT_EQ(json.at("problems").size(), 20U);
  EXPECT_NE(desk.run("verify").out.find("and 30 more"), std::string::npos);
}

TEST_F(Verify, FindsEventsThatWereChangedAfterwards) {
  change_log(file("events.sqlite"),
             "DROP TRIGGER never_UPDATE; UPDATE events SET time = time + 1 WHERE sequence IN (2, 4)");
  const nlohmann::json json = found(7);
  EXPECT_TRUE(names(json, "event 2 does not match its checksum")) << json.dump(1);
  EXPECT_TRUE(names(json, "event 4 does not match its checksum")) << json.dump(1);
  EXPECT_EQ(json.at("problem_count"), 2);
}

TEST_F(Verify, FindsWhatIsMissing) {
  change_log(file("events.sqlite"), "DROP TRIGGER never_DELETE; DELETE FROM events WHERE sequence IN (3, 5)");
  const nlohmann::json json = found(7);
  EXPECT_TRUE(names(json, "event 3 is missing")) << json.dump(1);
  EXPECT_TRUE(names(json, "its end is missing")) << json.dump(1);
}

TEST_F(Verify, FindsEveryFrozenCopyThatDiffers) {
  std::ofstream(file("study.toml"), std::ios::app) << "# more\n";
  std::ofstream(file("pool.csv"), std::ios::app) << "i,8\n";
  const nlohmann::json json = found(6);
  EXPECT_TRUE(names(json, "study.toml:")) << json.dump(1);
  EXPECT_TRUE(names(json, "pool.csv:")) << json.dump(1);
  EXPECT_EQ(json.at("problem_count"), 2);
  fs::remove(file("pool.csv"));
  EXPECT_TRUE(names(found(6), "pool.csv: it does not exist"));
}

TEST_F(Verify, SaysThatALogIsNoLog) {
  std::ofstream(file("events.sqlite")) << "hello";
  found(7);
  fs::remove(file("events.sqlite"));
  EXPECT_TRUE(names(found(7), "it does not exist"));
}

TEST_F(Verify, ChangesNothingAndNeedsNoPermissionToWrite) {
  const std::string before = desk.folder.read("c.acuity/events.sqlite");
  fs::permissions(file("events.sqlite"), fs::perms::owner_read);
  EXPECT_EQ(desk.run("verify").exit_code, 0);
  EXPECT_EQ(desk.folder.read("c.acuity/events.sqlite"), before);
}

TEST_F(Verify, OfWhatIsNoCampaignIsAnInputError) {
  for (const char* what : {"nothing", "study.toml"}) {
    const ProgramResult result = run_acuity({"verify", what}, desk.folder.path());
    EXPECT_EQ(result.exit_code, 2) << what;
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace acuity::testing::verify_test
