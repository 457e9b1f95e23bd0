// Ended without warning at every write of change, amend, taking over and a sign of life.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "acuity/campaign/campaign.hpp"
#include "acuity/store/sqlite_event_store.hpp"
#include "base/clock.hpp"
#include "support/campaigns.hpp"
#include "support/run_bench.hpp"
#include "support/thorough.hpp"

namespace acuity::testing::crash_of_change_test {
namespace {

namespace fs = std::filesystem;

const char* const study =
    "[campaign]\nname = \"c\"\nbudget = 30\n[pool]\nfile = \"pool.csv\"\nid = \"case\"\n"
    "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n[[level]]\nname = \"fine\"\nnoise_sd = "
    "0.1\ncost = 5\n";

// A campaign with two answers, and a study that changes levels, prices, points and the goal's table.
struct ChangeDesk {
  Folder folder;
  ChangeDesk() {
    folder.write("pool.csv", "case,x\na,0\nb,1\nc,2\nd,3\n");
    folder.write("goal.csv", "x\n0.5\n");
    folder.write("S.toml", with_given_model(std::string(study) + "[goal]\nfile = \"goal.csv\"\n"));
    EXPECT_EQ(shell("acuity init C --study S.toml").exit_code, 0);
    for (const char* id : {"1", "2"})
      EXPECT_EQ(shell(fmt::format("acuity ask C && acuity tell C {} 0.5", id)).exit_code, 0);
    folder.write("more.csv", "case,x\na,0\nb,1\nd,3\ne,4\n");
    folder.write("goal.csv", "x\n0.5\n2.5\n");
    std::string next = folder.read("S.toml");
    next.replace(next.find("pool.csv"), 8, "more.csv");
    next.replace(next.find("noise_sd = 0.5"), 14, "noise_sd = 0.4");
    folder.write("N.toml", next + "[[level]]\nname = \"mid\"\nnoise_sd = 0.2\ncost = 2\n");
  }
  ProgramResult shell(const std::string& line) const { return run_shell(line, folder.path()); }
  // Everything that people see, and the copies.
  std::string shown() const {
    std::string text = folder.read("C/study.toml") + folder.read("C/pool.csv") + folder.read("C/goal.csv");
    const Campaign campaign = Campaign::open(folder.path() / "C", Access::read);
    for (const StoredEvent& stored : campaign.events()) text += event_name(stored.event) + "\n";
    text += fmt::format("{} {} ", campaign.state().spent(), campaign.study().pool().size());
    for (const Annotation& annotation : campaign.annotations())
      text += fmt::format("{} {} ", annotation.value, noise_variance(annotation.channel));
    return text;
  }
};

// Cuts a command off at every write. Before and after a repetition nothing else is seen than the state before
// or after it.
int cut_off_everywhere(const std::string& line) {
  const ChangeDesk calm;
  const std::string before = calm.shown();
  EXPECT_EQ(calm.shell(line).exit_code, 0);
  const std::string after = calm.shown();
  EXPECT_NE(before, after);
  int cuts = 0;
  for (int k = 1; k < 60; ++k) {
    const ChangeDesk desk;
    const ProgramResult first = desk.shell(fmt::format("ACUITY_CRASH_AT={} {}", k, line));
    if (first.exit_code == 0) break;
    EXPECT_EQ(first.exit_code, 128 + SIGKILL) << first.err;
    ++cuts;
    EXPECT_EQ(desk.shell("acuity status C").exit_code, 0) << "readers are not disturbed, write " << k;
    EXPECT_EQ(desk.shell("acuity verify C").exit_code, 0) << "write " << k;
    const std::size_t events = Campaign::open(desk.folder.path() / "C", Access::read).events().size();
    Campaign::open(desk.folder.path() / "C");  // a writer completes what was cut off
    EXPECT_EQ(desk.shown(), events == Campaign::open(calm.folder.path() / "C", Access::read).events().size()
                                ? after
                                : before)
        << "write " << k;
    EXPECT_EQ(desk.shell(line).exit_code, 0) << "write " << k;
    EXPECT_EQ(desk.shown(), after) << "write " << k;
    if (::testing::Test::HasFailure()) break;
  }
  return cuts;
}

TEST(CrashOfChange, LeavesTheOldOrTheNewStudy) {
  EXPECT_GE(cut_off_everywhere("acuity change C --study N.toml --yes"), 10);
}

TEST(CrashOfChange, LeavesTheOldOrTheNewBudget) {
  EXPECT_GE(cut_off_everywhere("acuity change C --budget 40"), 4);
}

TEST(CrashOfChange, LeavesTheOldOrTheAmendedAnswer) {
  EXPECT_GE(
      cut_off_everywhere("acuity amend C 1 --y 0.25 --cost 3 --level fine --noise-sd 0.2 --reason typo"), 4);
}

TEST(CrashOfChange, RefundsOnce) {
  EXPECT_GE(cut_off_everywhere("acuity amend C 1 --refund 0.5 --reason credited"), 4);
}

// Every write of a run that takes over, shows signs of life and asks: the same command goes on, and no owner
// is left behind that would keep it from doing so.
TEST(CrashOfChange, OfARunThatTakesOverAndShowsSignsOfLife) {
  int cuts = 0, renewals = 0;
  for (int k = 1; k < 60; k += thorough() ? 1 : 6) {
    const RunBench bench;
    bench.study("budget = 3\n");
    bench.answer("sleep 0.5; echo 0.5");
    ASSERT_EQ(bench.acuity({"init", "C", "--study", "S.toml"}).exit_code, 0);
    SqliteEventStore::open(bench.folder.path() / "C/events.sqlite", Access::write)->add(0, [](const auto&) {
      return std::vector<Event>{OwnerChanged{"node7", 4711, 99, "another boot", now() + 1000.0}};
    });
    const ProgramResult first =
        run_shell(fmt::format("ACUITY_CRASH_AT={} acuity run C --take-over --lease 1s --grace 0s", k),
                  bench.folder.path());
    const bool cut = first.exit_code == 128 + SIGKILL;
    cuts += cut ? 1 : 0;
    EXPECT_EQ(bench.acuity({"verify", "C"}).exit_code, 0) << "write " << k;
    const ProgramResult again = bench.acuity({"run", "C", "--take-over", "--lease", "1s"});
    EXPECT_TRUE(again.exit_code == 0 || again.exit_code == 3) << "write " << k << ": " << again.err;
    EXPECT_EQ(bench.status()["spent"], 3.0) << "write " << k;
    EXPECT_EQ(bench.status()["owner"], nullptr) << "write " << k;
    renewals += static_cast<int>(bench.events("owner").size());
    if (!cut || ::testing::Test::HasFailure()) break;
  }
  EXPECT_GE(cuts, thorough() ? 20 : 4);
  EXPECT_GT(renewals, 4 * cuts) << "there were signs of life among the writes";
}

}  // namespace
}  // namespace acuity::testing::crash_of_change_test
