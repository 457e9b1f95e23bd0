// A log that is ahead of the clock, because an event was written while a clock was wrong.
#include <gtest/gtest.h>

#include "support/background.hpp"
#include "support/campaign_desk.hpp"
#include "support/forged_log.hpp"

namespace acuity::testing::lease_clock_test {
namespace {

const std::string study_text =
    "[campaign]\nname = \"wing\"\nbudget = 3\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
    "[[level]]\nname = \"one\"\nnoise_sd = 0.3\ncost = 1\n";

/// As if everything so far had been written with a clock that was ahead by so many seconds.
void put_ahead(const CampaignDesk& desk, double seconds) {
  const std::filesystem::path log = desk.folder.path() / desk.campaign / "events.sqlite";
  std::vector<RawEvent> events = raw_events(log);
  for (RawEvent& event : events) {
    event.time += seconds;
    nlohmann::json body = nlohmann::json::parse(event.body);
    if (body.contains("lease_until")) body["lease_until"] = body["lease_until"].get<double>() + seconds;
    event.body = body.dump();
  }
  forge_log(log, events);
}

std::size_t asked(const CampaignDesk& desk, const std::string& worker, const std::string& lease) {
  const ProgramResult result =
      desk.run("ask", {"--worker", worker, "--lease", lease, "--count", "3", "--format", "json"});
  return result.exit_code == 0 ? nlohmann::json::parse(result.out).at("suggestions").size() : 0;
}

TEST(LeaseClock, LeasesEndAlthoughTheLogIsAhead) {
  const CampaignDesk desk(study_text);
  put_ahead(desk, 1e9);
  EXPECT_EQ(asked(desk, "a", "5s"), 3U);
  EXPECT_EQ(asked(desk, "b", "5s"), 0U) << "they are a's";
  EXPECT_TRUE(comes_true([&] { return asked(desk, "b", "10m") == 3U; }));
  EXPECT_EQ(asked(desk, "c", "10m"), 0U) << "b has them for ten minutes";
}

TEST(LeaseClock, LeasesOfTheWrongClockBeginAgainAndEnd) {
  const CampaignDesk desk(study_text);
  EXPECT_EQ(asked(desk, "a", "5s"), 3U);
  put_ahead(desk, 1e9);
  EXPECT_EQ(asked(desk, "b", "10m"), 0U) << "a keeps them for as long as was promised";
  EXPECT_EQ(asked(desk, "b", "10m"), 0U);
  EXPECT_TRUE(comes_true([&] { return asked(desk, "b", "10m") == 3U; }));
}

TEST(LeaseClock, StatusAndVerifySayThatTheLogIsAhead) {
  const CampaignDesk desk(study_text);
  EXPECT_EQ(desk.done("status").find("ahead"), std::string::npos);
  EXPECT_EQ(desk.done("verify").find("ahead"), std::string::npos);
  put_ahead(desk, 7200);
  EXPECT_NE(desk.done("status").find("ahead of this machine's clock"), std::string::npos)
      << desk.done("status");
  EXPECT_NE(desk.done("verify").find("ahead of this machine's clock"), std::string::npos)
      << desk.done("verify");
}

}  // namespace
}  // namespace acuity::testing::lease_clock_test
