// Jobs that outlive acuity on a real Slurm whose parts are killed, and on one with a node that is cut off.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/private_slurm.hpp"
#include "support/run_bench.hpp"

namespace acuity::testing::submit_slurm_test {
namespace {

using Json = nlohmann::json;

class SubmitSlurm : public ::testing::Test {
 protected:
  void start(const PrivateSlurmOptions& options = {}) {
    if (const std::string why = PrivateSlurm::missing(options); !why.empty()) GTEST_SKIP() << why;
    slurm = std::make_unique<PrivateSlurm>(options);
    std::string pool = "case,x\n";
    for (int k = 0; k < 40; ++k) pool += fmt::format("p{},{}\n", k, 0.5 * k);
    bench.folder.write("pool.csv", pool);
  }
  void study(const std::string& campaign, const std::string& more = "") {
    bench.study(campaign, "mode = \"submit\"\nworkers = 6\npoll = \"1s\"\ngrace = \"4s\"\n" + more);
  }

  // Every answer once and charged once; no attempt was begun by two owners, but Slurm may have restarted it.
  void expect_every_answer_once(bool restarts = false) {
    std::map<std::int64_t, int> answers;
    double spent = 0.0;
    for (const Json& event : bench.events("told")) {
      EXPECT_EQ(++answers[event["id"]], 1) << event;
      EXPECT_EQ(event["y"].get<double>(), 0.5 * std::stoi(event["point"].get<std::string>().substr(1)));
      spent += event["cost"].get<double>();
    }
    EXPECT_EQ(bench.status()["spent"], spent);
    EXPECT_EQ(bench.status()["pending"], 0);
    std::set<std::string> begun;
    for (const std::string& attempt : bench.lines("begun"))
      EXPECT_TRUE(begun.insert(attempt).second || restarts) << attempt << " ran twice";
  }

  const std::string note_begin = "echo $ACUITY_ID-$ACUITY_ATTEMPT >>$ACUITY_STUDY_DIR/begun; ";
  RunBench bench;
  std::unique_ptr<PrivateSlurm> slurm;  // stopped first: no process of an attempt is left then
};

TEST_F(SubmitSlurm, OwnersAreKilledAndAJobIsCancelled) {
  start();
  if (IsSkipped()) return;
  study("budget = 20\n");
  bench.answer(note_begin + "[ -e $ACUITY_STUDY_DIR/quick ] || sleep 3; echo $ACUITY_X_X");
  for (int life = 0; life < 2; ++life) {
    Background owner = bench.run_in_background();
    ASSERT_TRUE(comes_true([&] { return bench.lines("begun").size() >= (life == 0 ? 3U : 8U); }))
        << owner.err();
    owner.signal(SIGKILL);
    owner.wait();
  }
  const std::vector<std::string> jobs = slurm->jobs();
  ASSERT_FALSE(jobs.empty());
  slurm->shell("scancel --name=" + jobs.back().substr(0, jobs.back().find('|')));
  bench.folder.write("quick", "");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err << slurm->logs();
  expect_every_answer_once();
  EXPECT_TRUE(bench.events("failed").empty()) << "a cancelled job is tried again";
  EXPECT_GT(bench.status()["spent"].get<double>(), 17.0);
  for (const Json& event : bench.events("told")) EXPECT_TRUE(event.contains("queue_seconds")) << event;
}

TEST_F(SubmitSlurm, TheExampleRunsAsJobs) {
  start();
  if (IsSkipped()) return;
  const Folder copy;
  std::filesystem::copy(std::filesystem::path(ACUITY_SOURCE_DIR) / "examples/slurm", copy.path());
  const ProgramResult result = run_shell("./run --jobs", copy.path());
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err << copy.read("run.log");
  EXPECT_TRUE(contains(result.out, "each simulation is a job")) << result.out;
  EXPECT_TRUE(contains(result.out, "in the queue for")) << result.out;
}

TEST_F(SubmitSlurm, TheDaemonOfANodeIsKilledAndComesBack) {
  start();
  if (IsSkipped()) return;
  study("budget = 8\n");
  bench.answer(note_begin + "while [ ! -e $ACUITY_STUDY_DIR/go ]; do sleep 0.1; done; echo $ACUITY_X_X");
  Background owner = bench.run_in_background();
  ASSERT_TRUE(comes_true([&] { return bench.lines("begun").size() >= 4; })) << owner.err();
  slurm->kill_node(0);
  bench.folder.write("go", "");
  // What runs there goes on and answers; Slurm hears of it when the daemon is back.
  ASSERT_TRUE(comes_true([&] { return bench.events("told").size() >= 4; })) << owner.err();
  slurm->start_node(0);
  const ProgramResult result = owner.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err << slurm->logs();
  expect_every_answer_once();
  EXPECT_TRUE(bench.events("failed").empty());
}

// Seconds after it has accepted jobs the controller dies: it forgets some of them and gives their numbers to
// others. The next owner, too, is another process.
TEST_F(SubmitSlurm, TheControllerIsKilledAndForgetsJobs) {
  start();
  if (IsSkipped()) return;
  study("budget = 16\n", "retries = 3\n");
  bench.answer(note_begin + "[ -e $ACUITY_STUDY_DIR/quick ] || sleep 2; echo $ACUITY_X_X");
  Background owner = bench.run_in_background();
  ASSERT_TRUE(comes_true([&] { return bench.lines("begun").size() >= 4; })) << owner.err();
  slurm->kill_controller();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  owner.signal(SIGKILL);
  owner.wait();
  Background second = bench.run_in_background();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  slurm->start_controller();
  bench.folder.write("quick", "");
  // Numbers that are used twice drain nodes ("Duplicate jobid"); an operator would resume them.
  bool ended = false;
  for (int k = 0; k < 300 && !ended; ++k) {
    slurm->shell(
        "timeout 5 sinfo -h -R -o %N 2>/dev/null | while read n; do scontrol update nodename=$n state=resume "
        "2>/dev/null; done");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ended = ::kill(second.process(), 0) == 0 && contains(second.out(), "annotations for");
  }
  const ProgramResult result = second.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err << slurm->logs();
  expect_every_answer_once(true);
  EXPECT_GT(bench.status()["spent"].get<double>(), 13.0);
}

// Slurm starts the job again elsewhere while the first start goes on: two runs of one job, one answer.
TEST_F(SubmitSlurm, ThoroughANodeIsCutOff) {
  start({.nodes = 2, .cpus = 1, .own_networks = true});
  if (IsSkipped()) return;
  bench.study("budget = 1\n", "mode = \"submit\"\nworkers = 1\npoll = \"1s\"\ngrace = \"20s\"\n");
  bench.answer(
      "echo $(uname -n) >>$ACUITY_STUDY_DIR/hosts; while [ ! -e $ACUITY_STUDY_DIR/go ]; do sleep 0.1; done; "
      "sleep $(grep -c . $ACUITY_STUDY_DIR/hosts); echo $ACUITY_X_X");
  Background owner = bench.run_in_background();
  ASSERT_TRUE(comes_true([&] { return bench.lines("hosts").size() == 1; })) << owner.err() << slurm->logs();
  const int first = bench.lines("hosts")[0] == slurm->node_name(0) ? 0 : 1;
  slurm->cut_off(first);
  const auto make_it_start = [&] {
    // A requeued job waits for two minutes unless it is told not to.
    slurm->shell(
        "squeue -h -t PD -o %A | while read j; do scontrol update jobid=$j StartTime=now 2>/dev/null; done");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return bench.lines("hosts").size() == 2;
  };
  ASSERT_TRUE(comes_true(make_it_start)) << owner.err() << slurm->shell("squeue; sinfo -R") << slurm->logs();
  EXPECT_NE(bench.lines("hosts")[0], bench.lines("hosts")[1]);
  bench.folder.write("go", "");
  const ProgramResult result = owner.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(bench.events("told").size(), 1U);
  const std::string published = bench.folder.read("C/runs/000001-1/exit_status");
  const auto both_have_ended = [&] {
    int ended = 0;
    for (const auto& entry : std::filesystem::directory_iterator(bench.folder.path() / "C/runs/000001-1"))
      ended += std::filesystem::exists(entry.path() / "published") ? 1 : 0;
    return ended == 2;
  };
  EXPECT_TRUE(comes_true(both_have_ended)) << "the other start ends, too";
  EXPECT_EQ(bench.folder.read("C/runs/000001-1/exit_status"), published) << "and changes nothing";
  EXPECT_EQ(bench.acuity({"run", "C"}).exit_code, 3);
  EXPECT_EQ(bench.events("told").size(), 1U);
  slurm->reconnect(first);
}

}  // namespace
}  // namespace acuity::testing::submit_slurm_test
