// Jobs that outlive acuity (annotator.mode = "submit"), with a batch system of shell scripts that loses
// replies, holds jobs and does not answer when a test says so.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "support/fake_batch.hpp"
#include "support/thorough.hpp"

namespace acuity::testing::submit_test {
namespace {

using Json = nlohmann::json;

class Submit : public ::testing::Test {
 protected:
  void study(const std::string& campaign = "budget = 6\n", const std::string& more = "") {
    bench.study(campaign, batch.keys(more));
  }
  void expect_every_answer_once() const {
    std::map<std::int64_t, int> answers;
    double spent = 0.0;
    for (const Json& event : bench.events("told")) {
      EXPECT_EQ(++answers[event["id"]], 1) << event;
      EXPECT_EQ(event["y"].get<double>(), 0.5 * std::stoi(event["point"].get<std::string>().substr(1)));
      spent += event["cost"].get<double>();
    }
    EXPECT_GT(answers.size(), 1U);
    EXPECT_EQ(bench.status()["spent"], spent);
    EXPECT_EQ(bench.status()["pending"], 0);
    std::set<std::string> names;
    for (const std::string& name : batch.lines("accepted"))
      EXPECT_TRUE(names.insert(name).second) << name << " was submitted twice";
  }
  std::string file(int id, int attempt, const std::string& name) const {
    return bench.folder.read(fmt::format("C/runs/{:06}-{}/{}", id, attempt, name));
  }

  RunBench bench;
  FakeBatch batch{bench};
};

TEST_F(Submit, EveryAnswerIsOneJobWithANameOfItsOwn) {
  study("budget = 6\n", "workers = 3\n");
  bench.answer(R"(grep -q '"id":'$ACUITY_ID - || exit 3
echo "{\"y\": $ACUITY_X_X, \"cost\": 0.5}" >"$ACUITY_RESULT"; echo 99)");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_every_answer_once();
  const std::regex name("acuity-[0-9a-f]{8}-[0-9]+-1");
  for (const std::string& job : batch.lines("accepted")) EXPECT_TRUE(std::regex_match(job, name)) << job;
  const std::vector<Json> told = bench.events("told");
  EXPECT_EQ(batch.lines("accepted").size(), told.size());
  for (const Json& event : told) {
    EXPECT_EQ(event["cost"], 0.5) << "as the job reports";
    EXPECT_GE(event["queue_seconds"].get<double>(), 0.0);
    EXPECT_GE(event["run_seconds"].get<double>(), 0.0);
  }
  EXPECT_EQ(bench.status()["jobs"]["count"], told.size());
  EXPECT_TRUE(contains(bench.acuity({"status", "C", "--details"}).out, "in the queue for"));
  const Json record = Json::parse(file(1, 1, "job.json"));
  EXPECT_EQ(record["name"], batch.lines("accepted").front());
  EXPECT_GT(record["submitted"].get<double>(), 1.6e9);
  EXPECT_FALSE(record["host"].get<std::string>().empty());
}

TEST_F(Submit, ALostReplyIsFoundByTheJobsName) {
  study();
  bench.answer("sleep 1; echo $ACUITY_X_X");
  batch.set("lose-reply");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "connection lost")) << result.err;
  expect_every_answer_once();
  for (const std::string& job : batch.lines("accepted")) EXPECT_TRUE(job.ends_with("-1")) << job;
}

TEST_F(Submit, ARefusedJobIsAFailureWithTheRefusalsWords) {
  study("budget = 6\n", "retries = 0\nmax_failures = 2\nworkers = 2\n");
  batch.set("refuse");
  const ProgramResult result = bench.run();
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_TRUE(contains(result.err, "no such partition: nowhere")) << result.err;
  ASSERT_FALSE(bench.events("failed").empty());
  EXPECT_TRUE(contains(bench.events("failed")[0]["reason"], "was not accepted")) << bench.events("failed")[0];
  EXPECT_EQ(bench.status()["spent"], 0.0);
}

// Also the submit command fails meanwhile: nothing is the annotators' failure that is the engine's.
TEST_F(Submit, NobodyIsGivenUpWhileTheBatchSystemDoesNotAnswer) {
  study("budget = 6\n", "workers = 2\nretries = 0\n");
  bench.answer(
      "echo x >>$ACUITY_STUDY_DIR/begun; while [ ! -e $ACUITY_STUDY_DIR/go ]; do sleep 0.1; done; echo "
      "$ACUITY_X_X");
  Background owner = bench.run_in_background();
  ASSERT_TRUE(comes_true([&] { return bench.lines("begun").size() == 2; })) << owner.err();
  batch.set("down");
  std::this_thread::sleep_for(std::chrono::seconds(5));  // two graces
  bench.folder.write("go", "");
  // The next jobs cannot be submitted until it is back.
  ASSERT_TRUE(comes_true([&] { return contains(owner.err(), "the submit command failed"); })) << owner.err();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  batch.clear("down");
  const ProgramResult result = owner.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(contains(result.err, "no job is given up meanwhile")) << result.err;
  expect_every_answer_once();
  EXPECT_TRUE(bench.events("failed").empty());
  EXPECT_TRUE(batch.lines("cancelled").size() <= 2) << "only names that were never submitted";
}

TEST_F(Submit, AHeldJobIsGivenUpAfterTheGraceAndTriedAgain) {
  study("budget = 3\n");
  bench.answer("echo $ACUITY_X_X");
  batch.set("hold");
  Background owner = bench.run_in_background();
  ASSERT_TRUE(comes_true([&] { return batch.queue().size() == 1; }));
  batch.clear("hold");
  const ProgramResult result = owner.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_every_answer_once();
  ASSERT_GE(batch.lines("accepted").size(), 2U);
  EXPECT_TRUE(batch.lines("accepted")[1].ends_with("-1-2")) << batch.lines("accepted")[1];
  ASSERT_FALSE(batch.lines("cancelled").empty());
  EXPECT_EQ(batch.lines("cancelled")[0], batch.lines("accepted")[0]);
  EXPECT_GE(batch.lines("looks").size(), 2U);
  EXPECT_TRUE(contains(result.err, "is gone from the queue, or held")) << result.err;
}

TEST_F(Submit, ExitStatusesAndCostsMeanWhatTheyMeanForCommands) {
  study("budget = 12\n", "workers = 4\n");
  bench.answer(R"(case $ACUITY_POINT-$ACUITY_ATTEMPT in
p2-*) exit 65 ;;
p4-1) exit 75 ;;
p5-1) echo '{"cost": 0.25}'; exit 3 ;;
esac
echo $ACUITY_X_X)");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const Json& event : bench.events("excluded")) EXPECT_EQ(event["point"], "p2");
  for (const Json& event : bench.events("told"))
    if (event["point"] == "p5") {
      EXPECT_EQ(event["cost"].get<double>() - (event["level"] == "fine" ? 3.0 : 1.0), 0.25);
    }
  EXPECT_TRUE(bench.events("failed").empty()) << "retries are left";
}

// A start of the job that ends second changes nothing, whatever it says; one that comes later does nothing.
TEST_F(Submit, AGhostCannotOverwrite) {
  study("budget = 1\n");
  bench.answer("[ $SLURM_JOB_ID = 1 ] && echo 1 || { sleep 2; echo 77; }");
  ASSERT_EQ(bench.run().exit_code, 0);
  ASSERT_EQ(bench.events("told").size(), 1U);
  const std::string published = file(1, 1, "exit_status");
  EXPECT_TRUE(published.starts_with("0 work.1.0.")) << published;
  // Two starts of one job at a time, as after a node was cut off.
  std::filesystem::remove(bench.folder.path() / "C/runs/000001-1/exit_status");
  run_shell(
      "cd C/runs/000001-1 && { SLURM_JOB_ID=8 sh ./job.sh & SLURM_JOB_ID=1 SLURM_RESTART_COUNT=1 sh "
      "./job.sh; wait; }",
      bench.folder.path());
  EXPECT_TRUE(file(1, 1, "exit_status").starts_with("0 work.1.1.")) << file(1, 1, "exit_status");
  const auto starts = [&] {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(bench.folder.path() / "C/runs/000001-1"))
      count += entry.path().filename().string().starts_with("work.") ? 1 : 0;
    return count;
  };
  EXPECT_EQ(starts(), 3);
  run_shell("SLURM_JOB_ID=9 sh C/runs/000001-1/job.sh", bench.folder.path());
  EXPECT_EQ(starts(), 3);
  EXPECT_TRUE(file(1, 1, "exit_status").starts_with("0 work.1.1."));
}

TEST_F(Submit, AJobThatWasGivenUpDoesNothingWhenItStarts) {
  study("budget = 1\n");
  bench.answer("echo x >>$ACUITY_STUDY_DIR/begun; echo $ACUITY_X_X");
  ASSERT_EQ(bench.run().exit_code, 0);
  ASSERT_EQ(bench.lines("begun").size(), 1U);
  std::filesystem::remove(bench.folder.path() / "C/runs/000001-1/exit_status");
  bench.folder.write("C/runs/000001-1/ended.json", "{\"kind\":\"ended\",\"reason\":\"x\"}");
  EXPECT_EQ(run_shell("sh C/runs/000001-1/job.sh", bench.folder.path()).exit_code, 0);
  std::filesystem::remove(bench.folder.path() / "C/runs/000001-1/ended.json");
  bench.folder.write("C/runs/000001-1/job.json", "{\"host\":\"h\",\"name\":\"another\",\"submitted\":1}\n");
  EXPECT_EQ(run_shell("sh C/runs/000001-1/job.sh", bench.folder.path()).exit_code, 0);
  EXPECT_EQ(bench.lines("begun").size(), 1U);
}

// Wherever it is killed, what lives is found again and nothing is paid or submitted twice.
TEST_F(Submit, OwnersThatAreKilledAnywhereLoseAndDoubleNothing) {
  study("budget = 4\n", "workers = 2\n");
  bench.answer("echo $ACUITY_ID-$ACUITY_ATTEMPT >>$ACUITY_STUDY_DIR/begun; sleep 0.3; echo $ACUITY_X_X");
  ASSERT_EQ(bench.acuity({"init", "C", "--study", "S.toml"}).exit_code, 0);
  int crashes = 0;
  for (int at = 1; at < 60; at += thorough() ? 1 : 5) {
    const ProgramResult result =
        run_shell(fmt::format("ACUITY_CRASH_AT={} acuity run C", at), bench.folder.path());
    if (result.exit_code != 128 + SIGKILL) {
      EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 3) << result.err;
      break;
    }
    ++crashes;
  }
  EXPECT_GT(crashes, 2);
  const ProgramResult last = bench.acuity({"run", "C"});
  EXPECT_TRUE(last.exit_code == 0 || last.exit_code == 3) << last.err;
  expect_every_answer_once();
  EXPECT_TRUE(bench.events("failed").empty()) << "a killed owner is no failure";
  std::set<std::string> begun;
  for (const std::string& attempt : bench.lines("begun"))
    EXPECT_TRUE(begun.insert(attempt).second) << attempt;
}

TEST_F(Submit, CtrlCLeavesTheJobsAndTheNextRunCollectsThem) {
  study("budget = 2\n", "workers = 2\n");
  bench.answer("while [ ! -e $ACUITY_STUDY_DIR/go ]; do sleep 0.1; done; echo $ACUITY_X_X");
  Background owner = bench.run_in_background();
  ASSERT_TRUE(comes_true([&] { return batch.queue().size() == 2; }));
  ASSERT_TRUE(comes_true([&] { return bench.has("C/runs/000002-1/reply.log"); }));
  owner.signal(SIGINT);
  const ProgramResult stopped = owner.wait();
  EXPECT_EQ(stopped.exit_code, 130);
  EXPECT_TRUE(contains(stopped.err, "its jobs stay in the batch system")) << stopped.err;
  EXPECT_EQ(batch.queue().size(), 2U);
  EXPECT_EQ(bench.status()["pending"], 2);
  bench.folder.write("go", "");
  const ProgramResult result = bench.run();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(contains(result.err, "jobs stay")) << "there are none: " << result.err;
  expect_every_answer_once();
  EXPECT_EQ(batch.lines("accepted").size(), 2U);
}

TEST_F(Submit, JobsAreCancelledIfTheUserSaysSo) {
  study("budget = 2\n", "workers = 2\n");
  bench.answer("[ -e $ACUITY_STUDY_DIR/go ] || sleep 100; echo $ACUITY_X_X");
  Background owner = bench.run_in_background({"--cancel"});
  ASSERT_TRUE(comes_true([&] { return bench.has("C/runs/000002-1/reply.log"); }));
  owner.signal(SIGTERM);
  EXPECT_EQ(owner.wait().exit_code, 130);
  EXPECT_EQ(batch.lines("cancelled").size(), 2U);
  EXPECT_TRUE(batch.queue().empty());
  // And afterwards, for jobs that were left.
  Background second = bench.run_in_background();
  ASSERT_TRUE(comes_true([&] { return bench.has("C/runs/000002-2/reply.log"); })) << second.err();
  second.signal(SIGINT);
  EXPECT_EQ(second.wait().exit_code, 130);
  EXPECT_EQ(batch.queue().size(), 2U);
  const ProgramResult cancelled = bench.acuity({"run", "C", "--once", "--cancel"});
  EXPECT_EQ(cancelled.exit_code, 4) << cancelled.err;
  EXPECT_TRUE(batch.queue().empty());
  EXPECT_EQ(batch.lines("accepted").size(), 4U) << "none are submitted";
  bench.folder.write("go", "");
  EXPECT_EQ(bench.run().exit_code, 0);
  expect_every_answer_once();
}

TEST_F(Submit, AReleasedSuggestionsJobIsCancelled) {
  study("budget = 2\n", "workers = 2\n");
  bench.answer("cd $ACUITY_STUDY_DIR; [ -e go ] || { touch waits-$ACUITY_ID; sleep 100; }; echo $ACUITY_X_X");
  Background owner = bench.run_in_background();
  ASSERT_TRUE(comes_true([&] { return bench.has("waits-1") && bench.has("waits-2"); }));
  owner.signal(SIGINT);
  owner.wait();
  bench.folder.write("go", "");
  EXPECT_EQ(bench.acuity({"release", "C", "1", "2"}).exit_code, 0);
  EXPECT_EQ(bench.run().exit_code, 0);
  EXPECT_EQ(batch.lines("cancelled").size(), 2U);
  EXPECT_EQ(bench.processes(), std::vector<std::string>());
  expect_every_answer_once();
}

TEST_F(Submit, LooksOnceForCronAndSaysWhetherThereIsMore) {
  study("budget = 3\n", "workers = 2\n");
  bench.answer("sleep 0.5; echo $ACUITY_X_X");
  const ProgramResult first = bench.run({"--once"});
  EXPECT_EQ(first.exit_code, 4) << first.err;
  EXPECT_EQ(batch.lines("accepted").size(), 2U);
  EXPECT_EQ(bench.status()["pending"], 2);
  int code = 4;
  for (int k = 0; k < 100 && code == 4; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    code = bench.acuity({"run", "C", "--once"}).exit_code;
  }
  EXPECT_EQ(code, 0);
  EXPECT_EQ(bench.acuity({"run", "C", "--once"}).exit_code, 3);
  expect_every_answer_once();
}

// The looks of several processes count together, and failures in a row too.
TEST_F(Submit, CronGivesUpWhatIsGoneAndStopsAtTheGuard) {
  study("budget = 30\n", "workers = 2\nretries = 0\nmax_failures = 3\n");
  batch.set("hold");
  int code = 4;
  for (int k = 0; k < 60 && code == 4; ++k) {
    code = bench.run({"--once"}).exit_code;
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
  }
  EXPECT_EQ(code, 5);
  EXPECT_GE(bench.events("failed").size(), 3U);
  const std::size_t accepted = batch.lines("accepted").size();
  EXPECT_EQ(bench.run({"--once"}).exit_code, 5);
  EXPECT_EQ(batch.lines("accepted").size(), accepted) << "nothing more is submitted";
}

TEST_F(Submit, RunsInTheBackground) {
  study("budget = 2\n");
  bench.answer("while [ ! -e $ACUITY_STUDY_DIR/go ]; do sleep 0.1; done; echo $ACUITY_X_X");
  const ProgramResult started = bench.run({"--detach"});
  ASSERT_EQ(started.exit_code, 0) << started.err;
  EXPECT_TRUE(contains(started.out, "runs in the background as process")) << started.out;
  EXPECT_TRUE(contains(started.out, "C/run.log")) << started.out;
  EXPECT_EQ(bench.run().exit_code, 7) << "it owns the campaign";
  const ProgramResult second = bench.run({"--detach"});
  EXPECT_EQ(second.exit_code, 7) << second.err;
  EXPECT_TRUE(contains(second.err, "run.log")) << second.err;
  bench.folder.write("go", "");
  EXPECT_TRUE(comes_true([&] { return bench.run().exit_code == 3; })) << bench.folder.read("C/run.log");
  expect_every_answer_once();
}

TEST_F(Submit, TheSubmitCommandDoesNotSeeTheJobThatAcuityRunsIn) {
  study("budget = 1\n");
  bench.answer("echo $ACUITY_X_X");
  ::setenv("SLURM_NTASKS", "64", 1);
  const ProgramResult result = bench.run();
  ::unsetenv("SLURM_NTASKS");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const std::string& line : batch.lines("variables"))
    EXPECT_FALSE(contains(line, "SLURM_NTASKS")) << line;
}

TEST_F(Submit, OptionsOfJobsNeedJobs) {
  bench.study("budget = 2\n");
  for (const char* option : {"--once", "--cancel"}) {
    const ProgramResult result = bench.run({option});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_TRUE(contains(result.err, "annotator.mode = \"submit\"")) << result.err;
  }
}

// The texts of the presets, with programs of the systems' names on the path that know the options used.
class PresetTools : public Submit {
 protected:
  void tool(const std::string& name, const std::string& text) {
    std::filesystem::permissions(
        bench.folder.write("tools/" + name,
                           "#!/bin/sh\nbatch='" + (bench.folder.path() / "batch").string() + "'\n" + text),
        std::filesystem::perms::owner_all);
  }
  void SetUp() override { std::filesystem::create_directories(bench.folder.path() / "tools"); }
  ProgramResult run_with(const std::string& preset) {
    bench.study("budget = 3\n", "mode = \"submit\"\nsubmit = \"" + preset +
                                    "\"\npoll = \"1s\"\ngrace = \"2s\"\ntimeout = \"90s\"\nworkers = 2\n");
    bench.answer(
        "[ -e $ACUITY_STUDY_DIR/go ] || { touch $ACUITY_STUDY_DIR/go; sleep 100; }; echo $ACUITY_X_X");
    // The first job is cancelled from outside.
    return run_shell(
        "export PATH=$PWD/tools:$PATH; acuity run C --study S.toml & "
        "while [ ! -e go ]; do sleep 0.1; done; batch/cancel $(head -n 1 batch/accepted); wait $!",
        bench.folder.path());
  }
};

TEST_F(PresetTools, PbsIsCalledAsItsManualSays) {
  tool("qsub", R"(echo "$*" >>"$batch/options"
while [ $# -gt 1 ]; do case $1 in -N) name=$2; shift 2 ;; -S|-j|-o|-l) shift 2 ;; *) shift ;; esac; done
"$batch/submit" "$name" "$1")");
  tool("qselect",
       R"(cd "$batch/queue"; [ "$3" != -N ] || { ls | grep "^$4\." ; exit 0; }; ls | grep ^acuity; exit 0)");
  tool(
      "qstat",
      R"(shift; for id; do [ ! -e "$batch/queue/$id" ] || printf 'Job Id: %s\n    Job_Name = %s\n    job_state = R\n' "$id" "${id%.*}"; done; exit 153)");
  tool("qdel", R"(for id; do "$batch/cancel" "${id%.*}"; done)");
  const ProgramResult result = run_with("pbs");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_every_answer_once();
  EXPECT_TRUE(contains(batch.lines("options")[0], "-l walltime=2:00")) << batch.lines("options")[0];
}

TEST_F(PresetTools, LsfIsCalledAsItsManualSays) {
  tool("bsub", R"(echo "$*" >>"$batch/options"
while [ $# -gt 0 ]; do case $1 in -J) name=$2; shift 2 ;; *) shift ;; esac; done
script=$(mktemp "$batch/scriptXXXXXX"); cat >"$script"
"$batch/submit" "$name" "$script")");
  tool("bjobs",
       R"(cd "$batch/queue"; set -- acuity*; [ -e "$1" ] || { echo "No unfinished job found" >&2; exit 255; }
for id; do echo "RUN ${id%.*}"; done)");
  tool("bkill", R"("$batch/cancel" "$2")");
  const ProgramResult result = run_with("lsf");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_every_answer_once();
  EXPECT_TRUE(contains(batch.lines("options")[0], "-W 2")) << batch.lines("options")[0];
}

TEST_F(PresetTools, SlurmIsCalledAsItsManualSays) {
  tool("sbatch", R"(echo "$*" >>"$batch/options"
for word; do case $word in --job-name=*) name=${word#*=} ;; esac; last=$word; done
"$batch/submit" "$name" "$last")");
  tool("squeue",
       R"(cd "$batch/queue"; for id in acuity*; do [ ! -e "$id" ] || echo "${id%.*}|RUNNING|None"; done
echo "acuity-00000000-1-1|PENDING|launch failed requeued held")");
  tool("scancel", R"(for word; do case $word in --name=*) "$batch/cancel" "${word#*=}" ;; esac; done)");
  const ProgramResult result = run_with("slurm");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_every_answer_once();
  EXPECT_TRUE(contains(batch.lines("options")[0], "--time=2 ")) << batch.lines("options")[0];
  EXPECT_TRUE(contains(batch.lines("options")[0], "--dependency=singleton")) << batch.lines("options")[0];
}

}  // namespace
}  // namespace acuity::testing::submit_test
