// The loop as its users meet it: beginnings, ends, owners, what is printed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "support/run_bench.hpp"
#include "support/studies.hpp"

namespace acuity::testing::run_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

TEST(Run, MakesTheCampaignAndFinishesItOnce) {
  const RunBench bench;
  const ProgramResult first = bench.run();
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_TRUE(contains(first.err, "C: created from S.toml\n")) << first.err;
  EXPECT_TRUE(contains(first.out, "for 6")) << first.out;
  const Json status = bench.status();
  EXPECT_EQ(status["spent"], 6.0);
  EXPECT_EQ(status["escrow"], 0.0);
  EXPECT_EQ(status["pending"], 0);
  EXPECT_EQ(status["failed"], 0);
  EXPECT_EQ(bench.events("told").size(), bench.events("asked").size());
  for (const auto& row : bench.annotations()) EXPECT_EQ(row.at("y"), "0.5");

  const std::size_t asked = bench.events("asked").size();
  const ProgramResult again = bench.run();
  EXPECT_EQ(again.exit_code, 3) << again.err;
  EXPECT_TRUE(contains(again.err, "C: finished: the budget is spent")) << "the reason: " << again.err;
  EXPECT_EQ(bench.events("asked").size(), asked);
  EXPECT_EQ(bench.acuity({"run", "C"}).exit_code, 3) << "a campaign needs no study";
}

TEST(Run, EndsWithTheErrorToExpectAndSaysWhatThePlanBuys) {
  const RunBench bench;
  std::string pool = "case,x\n";
  for (int k = 0; k < 30; ++k) pool += fmt::format("p{},{}\n", k, 0.2 * k);
  bench.folder.write("pool.csv", pool);
  bench.folder.write("T.toml",
                     "[campaign]\nbudget = 20\nunit = \"core hours\"\n[pool]\nfile = \"pool.csv\"\nid = "
                     "\"case\"\n[target]\nname = \"torque\"\nunit = \"N m\"\n"
                     "[[level]]\nname = \"rough\"\nnoise_sd = 0.3\ncost = 1\n"
                     "[[level]]\nname = \"good\"\nnoise_sd = 0.1\ncost = 4\n"
                     "[annotator]\nsimulated = \"sine\"\n[acquisition]\nplan = \"budget\"\n");
  const ProgramResult run = bench.acuity({"run", "T", "--study", "T.toml"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string last = run.err.substr(run.err.rfind('\n', run.err.size() - 2) + 1);
  EXPECT_TRUE(last.starts_with("T: finished: the budget is spent; typically off by ")) << run.err;
  EXPECT_TRUE(contains(last, " N m, ") && contains(last, " % of its range\n")) << last;
  EXPECT_TRUE(contains(run.err, " left: expected to buy ")) << run.err;
  for (const char* word : {"prices weigh", "planned nothing", "information per cost", "affordable"})
    EXPECT_FALSE(contains(run.err, word)) << word << "\n" << run.err;
}

TEST(Run, ANewCampaignNeedsAStudy) {
  const RunBench bench;
  const ProgramResult result = bench.acuity({"run", "C"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "C: it is no campaign; --study S.toml creates one\n");
}

// Once the study is corrected, a campaign made with the wrong one would be in its way.
TEST(Run, MakesNoCampaignThatItCannotRun) {
  const RunBench bench;
  std::string study = bench.folder.read("S.toml");
  study.replace(study.find("./answer"), 8, "./answer {nonsense}");
  bench.folder.write("S.toml", testing::with_given_model(study));
  const ProgramResult unknown = bench.run();
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "nonsense")) << unknown.err;
  EXPECT_FALSE(bench.has("C"));
  study = study.substr(0, study.find("[annotator]"));
  bench.folder.write("S.toml", testing::with_given_model(study));
  const ProgramResult nobody = bench.run();
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_TRUE(contains(nobody.err, "annotator.command")) << nobody.err;
  EXPECT_FALSE(bench.has("C"));
}

TEST(Run, GoesOnWithMoreBudget) {
  const RunBench bench;
  ASSERT_EQ(bench.run().exit_code, 0);
  const ProgramResult more = bench.acuity({"run", "C", "--budget", "+2"});
  EXPECT_EQ(more.exit_code, 0) << more.err;
  const Json status = bench.status();
  EXPECT_EQ(status["budget"], 8.0);
  EXPECT_EQ(status["spent"], 8.0);
  EXPECT_EQ(bench.acuity({"run", "C", "--budget", "2"}).exit_code, 2) << "8 are spent";
}

TEST(Run, RefusesAnotherStudyAndTouchesNothing) {
  const RunBench bench;
  ASSERT_EQ(bench.run().exit_code, 0);
  const std::string before = bench.acuity({"export", "C", "--events", "-"}).out;
  bench.study("budget = 60\n");
  const ProgramResult result = bench.run();
  EXPECT_EQ(result.exit_code, 6);
  EXPECT_TRUE(contains(result.err,
                       "campaign.budget: 6 -> 60; the budget from now on; to apply it: acuity change C "
                       "--study S.toml"))
      << result.err;
  EXPECT_EQ(bench.acuity({"export", "C", "--events", "-"}).out, before);
  bench.study();
  bench.folder.write("pool.csv", bench.folder.read("pool.csv") + "p9,9\n");
  EXPECT_EQ(bench.run().exit_code, 6) << "or another pool";
}

TEST(Run, EndsWhereWhatIsUsefulIsPendingWithSomebodyElse) {
  const RunBench bench;
  bench.folder.write("pool.csv", "case,x\np0,0\np1,1\n");
  bench.study("budget = 100\n");
  ASSERT_EQ(bench.acuity({"init", "C", "--study", "S.toml"}).exit_code, 0);
  ASSERT_EQ(bench.acuity({"ask", "C", "--worker", "Ann"}).exit_code, 0);
  const ProgramResult result = bench.run();
  EXPECT_EQ(result.exit_code, 4) << result.err;
  EXPECT_EQ(bench.status()["annotations"], 1) << "the other point is done";
  EXPECT_EQ(bench.status()["pending"], 1);
  ASSERT_EQ(bench.acuity({"tell", "C", "1", "-0.3"}).exit_code, 0);
  EXPECT_EQ(bench.run().exit_code, 3);
}

TEST(Run, StopsAfterFailuresInARowWithTheEndOfTheLastLog) {
  const RunBench bench;
  bench.study("budget = 6\n", "retries = 1\nmax_failures = 3\n");
  bench.answer("for k in 1 2 3 4 5 6 7; do echo line $k of $ACUITY_ID-$ACUITY_ATTEMPT >&2; done; exit 9");
  const ProgramResult result = bench.run();
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_TRUE(contains(result.err, "3 different points failed in a row")) << result.err;
  EXPECT_TRUE(contains(result.err, "exit status 9")) << result.err;
  EXPECT_TRUE(contains(result.err, "runs/000003-2")) << "where to look: " << result.err;
  EXPECT_TRUE(contains(result.err, "\n  | line 6 of 3-2\n  | line 7 of 3-2\n")) << result.err;
  EXPECT_TRUE(contains(result.err, "acuity fail C ID --exclude")) << "and what to do: " << result.err;
  EXPECT_FALSE(contains(result.err, "| line 1 of")) << "the last lines only: " << result.err;
  EXPECT_EQ(bench.status()["spent"], 0.0) << "nothing charged";
  bench.answer("echo 0.5");
  EXPECT_EQ(bench.run().exit_code, 0) << "and it goes on when that is mended";
}

// An answer that arrives while the others are waited for must not talk the count away.
TEST(Run, TheFailureGuardSaysHowManyThereWere) {
  const RunBench bench;
  bench.study("budget = 6\n", "retries = 0\nmax_failures = 1\nworkers = 2\n");
  bench.answer(R"(cd "$ACUITY_STUDY_DIR"
if mkdir first 2>/dev/null; then until [ -e failed ]; do sleep 0.02; done; sleep 0.7; echo 1; exit 0; fi
touch failed; exit 9)");
  const ProgramResult result = bench.run({"--grace", "60s"});
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_TRUE(contains(result.err, "1 point failed in a row")) << result.err;
  EXPECT_EQ(bench.status()["annotations"], 1) << "what was finished within the grace period counts";
}

TEST(Run, OwnsItsCampaignWhileOthersGoOnWithTheirs) {
  const RunBench bench;
  bench.answer("touch \"$ACUITY_STUDY_DIR/begun\"; exec sleep 1000");
  Background owner = bench.run_in_background({"--grace", "0s"});
  bench.wait_for("begun");
  const ProgramResult second = bench.run({"--budget", "+5"});
  EXPECT_EQ(second.exit_code, 7);
  EXPECT_TRUE(contains(second.err, std::to_string(owner.process()))) << second.err;
  EXPECT_TRUE(contains(second.err, host_name())) << second.err;
  EXPECT_TRUE(contains(second.err, " s ago); stop it first")) << second.err;
  EXPECT_EQ(std::count(second.err.begin(), second.err.end(), '\n'), 1) << second.err;

  EXPECT_EQ(bench.status()["budget"], 6.0) << "who is refused changes nothing";
  const ProgramResult asked = bench.acuity({"ask", "C", "--worker", "Ann", "--format", "json"});
  ASSERT_EQ(asked.exit_code, 0) << asked.err;
  const std::int64_t id = Json::parse(asked.out)["suggestions"][0]["id"];
  EXPECT_EQ(bench.acuity({"tell", "C", std::to_string(id), "0.25"}).exit_code, 0);
  EXPECT_EQ(bench.status()["annotations"], 1);
  EXPECT_TRUE(comes_true([&] { return contains(owner.err(), fmt::format("told {}: 0.25", id)); }))
      << "the owner notices though all its workers are busy: " << owner.err();
  owner.signal(SIGTERM);
  EXPECT_EQ(owner.wait().exit_code, 130);
}

TEST(Run, StreamsOneJsonObjectForEveryEvent) {
  const RunBench bench;
  bench.answer("cd \"$ACUITY_STUDY_DIR\"; touch begun; until [ -e go ]; do sleep 0.02; done; echo 0.5");
  Background running = bench.run_in_background({"--format", "jsonl"});
  bench.wait_for("begun");
  EXPECT_TRUE(comes_true([&] { return contains(running.out(), "\"event\":\"asked\""); }))
      << "as they come: " << running.out();
  bench.folder.write("go", "");
  const ProgramResult result = running.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::vector<Json> streamed = RunBench::parsed_lines(result.out), log = bench.events();
  ASSERT_EQ(log.size(), streamed.size() + 1) << "all but \"created\"";
  log.erase(log.begin());
  EXPECT_EQ(streamed, log);
  EXPECT_EQ(log.back()["event"], "owner");
}

TEST(Run, JsonIsOneObjectAtTheEnd) {
  const RunBench bench;
  const ProgramResult result = bench.run({"--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json end = Json::parse(result.out);
  EXPECT_EQ(end["end"], "finished");
  EXPECT_EQ(end["spent"], 6.0);
  EXPECT_EQ(end["pending"], 0);
  EXPECT_EQ(end["annotations"], bench.annotations().size());
}

TEST(Run, LogsOneLineForEveryEventAndNoCarriageReturn) {
  const RunBench bench;
  bench.answer(R"(printf 'two\nlines\r' >&2; [ $ACUITY_ID != 1 ] || exit 65; echo 0.5)");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err.find('\r'), std::string::npos);
  EXPECT_EQ(result.err.find('\033'), std::string::npos);
  std::istringstream lines(result.err);
  std::size_t events = 0;
  for (std::string line; std::getline(lines, line);) events += line.starts_with("20") ? 1 : 0;
  EXPECT_EQ(events, bench.events().size() - 1) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), static_cast<std::ptrdiff_t>(events + 4))
      << "beside them, how it began, that a fine run takes half of the budget, whether intervals can be "
         "believed, and how it ended: "
      << result.err;
}

// A reader that goes is no reason to leave annotators behind.
TEST(Run, EndsInOrderWhenNobodyReadsWhatItStreams) {
  const RunBench bench;
  bench.study("budget = 1000\n", "workers = 2\n");
  bench.answer("mkdir \"$ACUITY_STUDY_DIR/hangs\" 2>/dev/null && exec sleep 1000; echo 0.5");
  const ProgramResult result = run_shell(
      "{ acuity run C --study S.toml --format jsonl --grace 0s; echo $? >code; } | head -n 5 >lines",
      bench.folder.path());
  EXPECT_EQ(bench.lines("lines").size(), 5U);
  EXPECT_EQ(bench.folder.read("code"), "1\n") << result.err;
  EXPECT_TRUE(contains(result.err, "interrupted; the same command continues")) << result.err;
  EXPECT_EQ(bench.events().back()["host"], "") << "it gave up ownership";
}

std::vector<std::string> initial_points(const RunBench& bench, const std::string& seed) {
  bench.study("budget = 12\ninitial = 3\nseed = " + seed + "\n");
  EXPECT_EQ(bench.run().exit_code, 0);
  std::vector<std::string> points;
  const std::vector<Json> asked = bench.events("asked");
  for (std::size_t k = 0; k < 3 && k < asked.size(); ++k) {
    EXPECT_EQ(asked[k]["level"], "fine") << "at the highest precision";
    points.push_back(asked[k]["point"]);
  }
  fs::remove_all(bench.folder.path() / "C");
  return points;
}

TEST(Run, BeginsWithPointsDrawnByTheSeed) {
  const RunBench bench;
  const std::vector<std::string> points = initial_points(bench, "1");
  EXPECT_EQ(std::set<std::string>(points.begin(), points.end()).size(), 3U);
  EXPECT_EQ(initial_points(bench, "1"), points);
  EXPECT_NE(initial_points(bench, "2"), points);
}

TEST(Run, BeginsWithWhatIsKnown) {
  const RunBench bench;
  bench.folder.write("known.csv", "id,y,level\np3,1.5,fine\np4,0.5,coarse\n");
  bench.study("budget = 6\ninitial = { file = \"known.csv\" }\n");
  ASSERT_EQ(bench.run().exit_code, 0);
  const auto rows = bench.annotations();
  ASSERT_GE(rows.size(), 3U);
  EXPECT_EQ(rows[0].at("point"), "p3");
  EXPECT_EQ(rows[0].at("y"), "1.5");
  EXPECT_EQ(rows[1].at("level"), "coarse");
  EXPECT_EQ(bench.status()["spent"], 6.0) << "what is known counts";
  EXPECT_FALSE(bench.has("C/runs/000001-1")) << "nobody was asked for it";
}

}  // namespace
}  // namespace acuity::testing::run_test
