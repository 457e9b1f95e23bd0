// How a run is stopped, by signals, by trouble with the disk, and by its own death; and how the next one goes
// on.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string.h>

#include <random>

#include "support/run_bench.hpp"
#include "support/studies.hpp"

namespace acuity::testing::run_interruption_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

// An annotator that begins, and does not end before there is a file `go`.
const char* const waits_for_go =
    "cd \"$ACUITY_STUDY_DIR\"; touch begun-$ACUITY_ID; until [ -e go ]; do sleep 0.02; done; echo $ACUITY_ID";

struct Interruption {
  int signal;
  const char* grace;
};
void PrintTo(const Interruption& interruption, std::ostream* out) {
  *out << "SIG" << ::sigabbrev_np(interruption.signal);
}
class RunSignals : public ::testing::TestWithParam<Interruption> {};

// Annotators with children in groups of their own, none of whom listens to SIGTERM.
TEST_P(RunSignals, EndItWithinTenSecondsAndInOrder) {
  const RunBench bench;
  bench.study("budget = 6\n", "workers = 2\n");
  bench.answer(R"([ ! -e "$ACUITY_STUDY_DIR/go" ] || { echo 0.5; exit 0; }
trap '' TERM INT HUP
sh -mc '(trap "" TERM; sleep 1000) & sleep 1000 & wait' &
touch "$ACUITY_STUDY_DIR/begun-$ACUITY_ID"
while :; do sleep 1000; done)");
  Background running = bench.run_in_background({"--grace", GetParam().grace});
  bench.wait_for("begun-1");
  bench.wait_for("begun-2");
  const auto signalled = Clock::now();
  running.signal(GetParam().signal);
  const ProgramResult result = running.wait();
  EXPECT_LT(Clock::now() - signalled, 10s);
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_TRUE(contains(result.err, "interrupted; the same command continues")) << result.err;
  EXPECT_TRUE(bench.processes().empty()) << "ended before it goes";
  const Json status = bench.status();
  EXPECT_EQ(status["pending"], 2);
  EXPECT_EQ(status["escrow"],
            bench.events("asked")[0]["cost"].get<double>() + bench.events("asked")[1]["cost"].get<double>());
  EXPECT_TRUE(bench.events("failed").empty()) << "nobody's fault";
  EXPECT_EQ(bench.events().back()["host"], "") << "it gave up ownership";

  bench.folder.write("go", "");
  EXPECT_EQ(bench.run().exit_code, 0);
  EXPECT_TRUE(bench.has("C/runs/000001-2")) << "attempts go on counting";
  EXPECT_EQ(bench.annotations().at(0).at("y"), "0.5");
  EXPECT_EQ(bench.status()["spent"], 6.0);
}
// 5 s is what there is without --grace.
INSTANTIATE_TEST_SUITE_P(Each, RunSignals,
                         ::testing::Values(Interruption{SIGINT, "5s"}, Interruption{SIGTERM, "0.5s"},
                                           Interruption{SIGHUP, "0s"}));

TEST(RunInterruption, LetsAnnotatorsFinishWithinTheGracePeriod) {
  const RunBench bench;
  bench.answer(waits_for_go);
  Background running = bench.run_in_background({"--grace", "60s"});
  bench.wait_for("begun-1");
  running.signal(SIGINT);
  std::this_thread::sleep_for(300ms);  // it has had the time to do the wrong thing
  bench.folder.write("go", "");
  EXPECT_EQ(running.wait().exit_code, 130);
  EXPECT_EQ(bench.status()["annotations"], 1);
  EXPECT_EQ(bench.status()["pending"], 0) << "and nothing new is begun";
}

TEST(RunInterruption, ASecondOneIsInAHurry) {
  const RunBench bench;
  bench.answer(waits_for_go);
  Background running = bench.run_in_background({"--grace", "1h"});
  bench.wait_for("begun-1");
  running.signal(SIGINT);
  std::this_thread::sleep_for(100ms);
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 130);
  EXPECT_EQ(bench.status()["pending"], 1);
}

TEST(RunInterruption, OfWhatWaitsForARetryIsShort) {
  const RunBench bench;
  bench.answer("touch \"$ACUITY_STUDY_DIR/begun-$ACUITY_ATTEMPT\"; exit 75");
  Background running = bench.run_in_background({"--grace", "1h"});
  bench.wait_for("begun-2");
  running.signal(SIGINT);
  EXPECT_EQ(running.wait().exit_code, 130);
  EXPECT_EQ(bench.status()["pending"], 1);
}

// From so many annotations of so many inputs it would take half a minute, with nothing to show for it.
TEST(RunInterruption, DoesNotWaitForHyperparameters) {
  const RunBench bench;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0.0, 2.0);
  std::string pool = "case,a,b,c,d,e,f,g,h\n", known = "id,y,level\n";
  for (int k = 0; k < 1300; ++k) {
    pool += fmt::format("p{}", k);
    for (int input = 0; input < 8; ++input) pool += fmt::format(",{}", uniform(random));
    pool += "\n";
    if (k < 1200) known += fmt::format("p{},{},coarse\n", k, uniform(random));
  }
  bench.folder.write("pool.csv", pool);
  bench.folder.write("known.csv", known);
  bench.study("budget = 5000\ninitial = { file = \"known.csv\" }\n");
  std::string study = bench.folder.read("S.toml");
  study = with(with(study, "fit", "\"every\""), "lengthscale", "[1, 1, 1, 1, 1, 1, 1, 1]");
  bench.folder.write("S.toml", study);
  Background running = bench.run_in_background();
  EXPECT_TRUE(comes_true([&] { return contains(running.err(), "run by process"); }));
  std::this_thread::sleep_for(300ms);
  const auto signalled = Clock::now();
  running.signal(SIGINT);
  const ProgramResult result = running.wait();
  EXPECT_LT(Clock::now() - signalled, 10s);
  EXPECT_EQ(result.exit_code, 130) << result.err;
  EXPECT_TRUE(bench.events("fitted").empty());
  EXPECT_EQ(bench.status()["annotations"], 1200);
}

TEST(RunAfterADeath, TakesOverWithAnswersThatCameMeanwhile) {
  const RunBench bench;
  bench.answer(waits_for_go);
  {
    Background owner = bench.run_in_background();
    bench.wait_for("begun-1");
    owner.signal(SIGKILL);
    EXPECT_EQ(owner.wait().exit_code, 128 + SIGKILL);
  }
  bench.folder.write("go", "");
  bench.wait_for("C/runs/000001-1/exit_status");
  const ProgramResult result = bench.run();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(bench.has("C/runs/000001-2")) << "it was not asked again";
  EXPECT_EQ(bench.annotations().at(0).at("y"), "1");
}

TEST(RunAfterADeath, ResumesNoMoreThanItsWorkers) {
  const RunBench bench;
  bench.study("budget = 8\n", "workers = 4\n");
  bench.answer(
      R"(cd "$ACUITY_STUDY_DIR"; mkdir -p at_work; touch at_work/$ACUITY_ID-$ACUITY_ATTEMPT
[ -e go ] || { touch begun-$ACUITY_ID; exec sleep 1000; }
ls at_work | wc -l >>counts; sleep 0.05; rm at_work/$ACUITY_ID-$ACUITY_ATTEMPT; echo 0.5)");
  {
    Background owner = bench.run_in_background();
    for (const char* begun : {"begun-1", "begun-2", "begun-3", "begun-4"}) bench.wait_for(begun);
    owner.signal(SIGKILL);
    owner.wait();
  }
  fs::remove_all(bench.folder.path() / "at_work");
  bench.folder.write("go", "");
  const ProgramResult result = bench.run({"--workers", "1", "--grace", "0s"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const std::string& count : bench.lines("counts")) EXPECT_EQ(std::stoi(count), 1);
  EXPECT_EQ(bench.status()["spent"], 8.0);
}

// Nobody was there to end it when it was released, told or failed.
TEST(RunAfterADeath, EndsWhatIsLeftOfSuggestionsThatAreNoLongerPending) {
  const RunBench bench;
  bench.study("budget = 12\n", "workers = 3\n");
  bench.answer(waits_for_go);
  {
    Background owner = bench.run_in_background();
    for (const char* begun : {"begun-1", "begun-2", "begun-3"}) bench.wait_for(begun);
    owner.signal(SIGKILL);
    owner.wait();
  }
  ASSERT_EQ(bench.acuity({"release", "C", "1"}).exit_code, 0);
  ASSERT_EQ(bench.acuity({"tell", "C", "2", "7"}).exit_code, 0);
  ASSERT_EQ(bench.acuity({"fail", "C", "3"}).exit_code, 0);
  bench.answer("echo 0.5");
  EXPECT_EQ(bench.run({"--grace", "0s"}).exit_code, 0);
  EXPECT_TRUE(bench.processes().empty());
  bench.folder.write("go", "");
  for (const Json& told : bench.events("told"))
    EXPECT_TRUE(told["id"] != 1 && told["id"] != 3) << "what is ended does not answer";
}

// It is a true measurement, and was paid for.
TEST(RunAfterADeath, TakesTheLateAnswerToWhatWasReleased) {
  const RunBench bench;
  bench.answer(waits_for_go);
  {
    Background owner = bench.run_in_background();
    bench.wait_for("begun-1");
    owner.signal(SIGKILL);
    owner.wait();
  }
  bench.folder.write("go", "");
  bench.wait_for("C/runs/000001-1/exit_status");
  ASSERT_EQ(bench.acuity({"release", "C", "1"}).exit_code, 0);
  EXPECT_EQ(bench.run().exit_code, 0);
  const std::vector<Json> told = bench.events("told");
  EXPECT_EQ(std::count_if(told.begin(), told.end(), [](const Json& event) { return event["id"] == 1; }), 1);
}

TEST(RunInTrouble, WithItsFolderOfAttemptsSaysSoAndGoesOnLater) {
  const RunBench bench;
  bench.study("budget = 6\n", "workers = 2\n");
  // The first one breaks it for the next, the second hangs.
  bench.answer(R"([ $ACUITY_ID != 2 ] || { touch "$ACUITY_STUDY_DIR/hangs"; exec sleep 1000; }
[ $ACUITY_ID != 1 ] || [ -e "$ACUITY_STUDY_DIR/broken" ] || {
  until [ -e "$ACUITY_STUDY_DIR/hangs" ]; do sleep 0.02; done
  echo 0.5 >"$ACUITY_RESULT"; echo '{"y": 0.5}' >"$ACUITY_RESULT"
  chmod a-w ../../runs; touch "$ACUITY_STUDY_DIR/broken"
  mv ../../runs ../../elsewhere; touch ../../runs; }
echo 0.5)");
  const ProgramResult result = bench.run({"--grace", "0s"});
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_TRUE(contains(result.err, "C/runs")) << result.err;
  EXPECT_TRUE(bench.processes().empty()) << "annotators are ended";
  EXPECT_EQ(bench.events().back()["host"], "") << "it gave up ownership";
  fs::remove(bench.folder.path() / "C/runs");
  fs::rename(bench.folder.path() / "C/elsewhere", bench.folder.path() / "C/runs");
  fs::permissions(bench.folder.path() / "C/runs", fs::perms::owner_all);
  bench.answer("echo 0.5");
  EXPECT_EQ(bench.run({"--grace", "0s"}).exit_code, 0);
  EXPECT_EQ(bench.status()["spent"], 6.0);
}

// The store has the file open and would go on with it, wherever it is.
TEST(RunInTrouble, WithALogThatIsMovedAwayStops) {
  const RunBench bench;
  bench.answer(waits_for_go);
  Background running = bench.run_in_background({"--grace", "0s"});
  bench.wait_for("begun-1");
  fs::rename(bench.folder.path() / "C", bench.folder.path() / "D");
  const ProgramResult result = running.wait();
  EXPECT_EQ(result.exit_code, 7) << result.err;
  EXPECT_TRUE(contains(result.err, "C/events.sqlite: the file was moved")) << result.err;
  EXPECT_TRUE(bench.processes().empty());
  bench.folder.write("go", "");
  EXPECT_EQ(bench.acuity({"run", "D", "--grace", "0s"}).exit_code, 0) << "there it goes on";
  EXPECT_FALSE(bench.has("C")) << "and nothing is where it was";
}

// A limit to the size of files stands for a disk that is full.
TEST(RunInTrouble, WithAFullDiskLosesNothing) {
  const RunBench bench;
  bench.study("budget = 8\n");
  bench.answer("echo $ACUITY_ID");
  ASSERT_EQ(bench.acuity({"init", "C", "--study", "S.toml"}).exit_code, 0);
  int stopped = 0;
  for (int blocks = 0; blocks < 400 && bench.status()["spent"] < 8.0; blocks += 8) {
    const ProgramResult result = run_shell(
        fmt::format("trap '' XFSZ; ulimit -f {}; acuity run C --grace 0s 2>&1", blocks), bench.folder.path());
    if (result.exit_code == 0) break;
    ++stopped;
    EXPECT_TRUE(result.exit_code == 2 || result.exit_code == 5) << result.exit_code << result.out;
    EXPECT_FALSE(contains(result.out, "internal error")) << result.out;
    EXPECT_EQ(bench.acuity({"status", "C"}).exit_code, 0) << "the campaign is as whole as before";
  }
  EXPECT_GT(stopped, 0);
  const int last = bench.run().exit_code;
  EXPECT_TRUE(last == 0 || last == 3) << last;
  EXPECT_EQ(bench.status()["spent"], 8.0);
  for (const auto& row : bench.annotations()) EXPECT_EQ(row.at("y"), row.at("id"));
}

}  // namespace
}  // namespace acuity::testing::run_interruption_test
