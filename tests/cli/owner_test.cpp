// Owners on other hosts: leases, signs of life, taking over, and never two at once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "acuity/campaign/campaign.hpp"
#include "acuity/store/sqlite_event_store.hpp"
#include "base/clock.hpp"
#include "store/owner.hpp"
#include "support/run_bench.hpp"

namespace acuity::testing::owner_test {
namespace {

using Json = nlohmann::json;

// Whether this user may have a host name of his own.
bool has_hosts() {
  static const bool may = run_shell("unshare --uts true", ".").exit_code == 0;
  return may;
}
#define NEEDS_HOSTS() \
  if (!has_hosts()) GTEST_SKIP() << "unshare --uts is not permitted here"

// The program on another host.
std::string line(const std::string& host, const std::string& words) {
  return fmt::format("exec unshare --uts /bin/sh -c 'hostname {} && exec {} {}'", host, ACUITY_PROGRAM,
                     words);
}
struct Elsewhere : Background {
  Elsewhere(const std::string& host, const std::string& words, const RunBench& bench)
      : Background({"-c", line(host, words)}, bench.folder.path(), "/bin/sh") {}
};

ProgramResult on(const std::string& host, const std::string& words, const RunBench& bench) {
  return run_shell(line(host, words), bench.folder.path());
}

// Puts an event into the log, as another host would.
void add_owner(const RunBench& bench, const OwnerChanged& owner) {
  const auto store = SqliteEventStore::open(bench.folder.path() / "C/events.sqlite", Access::write);
  store->add(0, [&](const auto&) { return std::vector<Event>{owner}; });
}

OwnerChanged elsewhere(std::optional<double> lease) {
  OwnerChanged owner{"node7", 4711, 99, "another boot", std::nullopt};
  if (lease) owner.lease_until = now() + *lease;
  return owner;
}

TEST(Owner, OnAnotherHostKeepsTheCampaignUntilItsLeaseEnds) {
  const RunBench bench;
  bench.study("budget = 6\n");
  ASSERT_EQ(bench.acuity({"init", "C", "--study", "S.toml"}).exit_code, 0);
  add_owner(bench, elsewhere(100.0));
  const ProgramResult refused = bench.acuity({"run", "C"});
  EXPECT_EQ(refused.exit_code, 7);
  for (const char* part : {"C: already being run by process 4711 on node7 (started ", "last sign of life ",
                           "stop it there first; if that machine is gone, its lease ends in 1 min ",
                           "and the same command then continues, or at once: acuity run C --take-over\n"})
    EXPECT_TRUE(contains(refused.err, part)) << refused.err;
  EXPECT_EQ(bench.status()["owner"]["alive"], true);
  add_owner(bench, elsewhere(-1.0));
  EXPECT_EQ(bench.status()["owner"]["alive"], false);
  EXPECT_TRUE(contains(bench.acuity({"status", "C"}).out, "\ninterrupted, to continue: acuity run C\n"))
      << bench.acuity({"status", "C"}).out;
  const ProgramResult taken = bench.acuity({"run", "C"});
  EXPECT_EQ(taken.exit_code, 0) << taken.err;
}

TEST(Owner, IsTakenOverBeforeItsLeaseEndsIfAPersonSaysSo) {
  const RunBench bench;
  bench.study("budget = 6\n");
  ASSERT_EQ(bench.acuity({"init", "C", "--study", "S.toml"}).exit_code, 0);
  add_owner(bench, elsewhere(std::nullopt));  // of an earlier version
  const ProgramResult refused = bench.acuity({"run", "C"});
  EXPECT_EQ(refused.exit_code, 7);
  EXPECT_TRUE(contains(refused.err,
                       "without a lease); stop it there first, or, if that machine is gone: acuity run C "
                       "--take-over\n"))
      << refused.err;
  EXPECT_EQ(bench.acuity({"run", "C", "--take-over"}).exit_code, 0);
}

TEST(Owner, OnThisHostIsNotTakenOverWhileItLives) {
  const RunBench bench;
  bench.answer("sleep 60");
  Background owner = bench.run_in_background({"--grace", "0s"});
  ASSERT_TRUE(comes_true([&] { return bench.has("C/runs/000001-1/process.json"); }));
  const ProgramResult refused = bench.acuity({"run", "C", "--take-over"});
  EXPECT_EQ(refused.exit_code, 7);
  EXPECT_TRUE(contains(refused.err, fmt::format("stop it first: kill {}\n", owner.process()))) << refused.err;
  owner.signal(SIGINT);
  owner.wait();
}

TEST(Owner, ShowsSignsOfLife) {
  const RunBench bench;
  bench.answer("while [ ! -e \"$ACUITY_STUDY_DIR/go\" ]; do sleep 0.02; done; echo 0.5");
  Background owner = bench.run_in_background({"--lease", "1s"});
  EXPECT_TRUE(comes_true([&] { return bench.events("owner").size() >= 4; }));
  const Json status = bench.status()["owner"];
  EXPECT_EQ(status["process"], owner.process());
  EXPECT_EQ(status["since"], bench.events("owner").front()["time"].get<std::string>().substr(0, 19) + "Z");
  bench.folder.write("go", "");
  EXPECT_EQ(owner.wait().exit_code, 0);
  EXPECT_EQ(bench.events("owner").back()["host"], "");
}

// The node died; the batch system starts the job again on another one.
TEST(Owner, ARequeuedJobGoesOnWhenTheLeaseHasEnded) {
  NEEDS_HOSTS();
  const RunBench bench;
  bench.answer("[ -e \"$ACUITY_STUDY_DIR/go\" ] || sleep 60; echo 0.5");
  {
    Elsewhere node("node7", "run C --study S.toml --lease 2s --grace 0s", bench);
    ASSERT_TRUE(comes_true([&] { return bench.has("C/runs/000001-1/process.json"); }));
    const ProgramResult early = on("node8", "run C", bench);
    EXPECT_EQ(early.exit_code, 7);
    EXPECT_TRUE(contains(early.err, "on node7")) << early.err;
    node.signal(SIGKILL);
    node.wait();
  }
  bench.folder.write("go", "");
  ProgramResult again;
  EXPECT_TRUE(comes_true([&] {
    again = on("node8", "run C", bench);
    return again.exit_code != 7;
  }));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(bench.status()["spent"], 6.0);
}

// A container has a new host name at every start.
TEST(Owner, AContainerWithANewNameTakesOverAtOnceIfToldTo) {
  NEEDS_HOSTS();
  const RunBench bench;
  bench.answer("[ -e \"$ACUITY_STUDY_DIR/go\" ] || sleep 60; echo 0.5");
  {
    Elsewhere first("b1f2c3", "run C --study S.toml --grace 0s", bench);
    ASSERT_TRUE(comes_true([&] { return bench.has("C/runs/000001-1/process.json"); }));
    first.signal(SIGKILL);
    first.wait();
  }
  bench.folder.write("go", "");
  EXPECT_EQ(on("a9e8d7", "run C", bench).exit_code, 7);
  const ProgramResult taken = on("a9e8d7", "run C --take-over", bench);
  EXPECT_EQ(taken.exit_code, 0) << taken.err;
  EXPECT_EQ(bench.status()["spent"], 6.0);
}

// The first owner notices before it writes again, stops with exit 7, and records the answer that it has.
TEST(Owner, ThatLostItsLeaseStopsAndLosesNothing) {
  NEEDS_HOSTS();
  const RunBench bench;
  bench.study("budget = 8\n");
  bench.answer(
      "case $(hostname) in node7) while [ ! -e \"$ACUITY_STUDY_DIR/go\" ]; do sleep 0.02; done;; esac; echo "
      "0.5");
  Elsewhere first("node7", "run C --study S.toml --grace 0s", bench);
  ASSERT_TRUE(comes_true([&] { return bench.has("C/runs/000001-1/process.json"); }));
  const ProgramResult second = on("node8", "run C --take-over", bench);
  EXPECT_EQ(second.exit_code, 0) << second.err;
  bench.folder.write("go", "");
  const ProgramResult lost = first.wait();
  EXPECT_EQ(lost.exit_code, 7) << lost.err;
  EXPECT_TRUE(contains(lost.err, "C: ")) << lost.err;
  EXPECT_TRUE(contains(lost.err, "this run stops, answers that it has received are recorded")) << lost.err;
  EXPECT_EQ(bench.status()["spent"], 8.0);
  EXPECT_EQ(bench.status()["pending"], 0);
  EXPECT_EQ(bench.acuity({"verify", "C"}).exit_code, 0);
}

// Every stretch of the log between two owners belongs to one of them: a suggestion of `run` is never recorded
// while another host owns the campaign.
TEST(Owner, TwoHostsThatFightForACampaignNeverOwnItTogether) {
  NEEDS_HOSTS();
  const RunBench bench;
  bench.study("budget = 60\n", "workers = 2\n");
  bench.folder.write("pool.csv", [] {
    std::string pool = "case,x\n";
    for (int k = 0; k < 60; ++k) pool += fmt::format("p{},{}\n", k, k);
    return pool;
  }());
  bench.answer("sleep 0.05; echo 0.5");
  ASSERT_EQ(bench.acuity({"init", "C", "--study", "S.toml"}).exit_code, 0);
  const auto fight = [&](const std::string& host) {
    return fmt::format(
        "unshare --uts /bin/sh -c 'hostname {0}; for k in $(seq 40); do {1} run C --take-over --grace 0s "
        "--lease 1s "
        ">>{0}.out 2>&1; code=$?; echo $code >>{0}.codes; [ $code = 7 ] || [ $code = 130 ] || break; sleep "
        "0.1; done'",
        host, ACUITY_PROGRAM);
  };
  const ProgramResult fought =
      run_shell(fight("node7") + " & " + fight("node8") + " & wait", bench.folder.path());
  EXPECT_EQ(fought.exit_code, 0) << fought.err;
  std::string owner;
  int owners = 0;
  std::map<std::int64_t, std::string> asked_by;
  for (const Json& event : bench.events()) {
    if (event["event"] == "owner" && event["host"] != owner) {
      owner = event["host"];
      owners += owner.empty() ? 0 : 1;
    }
    if (event["event"] == "asked") {
      EXPECT_NE(owner, "") << "nobody asks without owning it";
      asked_by[event["id"]] = owner;
    }
  }
  EXPECT_GE(owners, 2);
  const Json status = bench.status();
  EXPECT_LE(status["spent"].get<double>(), 60.0);
  EXPECT_EQ(status["pending"], 0) << bench.folder.read("node7.out") << bench.folder.read("node8.out");
  EXPECT_EQ(bench.acuity({"verify", "C"}).exit_code, 0);
}

}  // namespace
}  // namespace acuity::testing::owner_test
