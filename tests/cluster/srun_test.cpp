// `srun` as the command of an annotator, on a Slurm of three nodes that the test starts.
#include <gtest/gtest.h>

#include <set>

#include "support/private_slurm.hpp"
#include "support/run_bench.hpp"

namespace acuity::testing::srun_test {
namespace {

class Srun : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = PrivateSlurm::missing(); !why.empty()) GTEST_SKIP() << why;
    slurm = std::make_unique<PrivateSlurm>();
    std::string pool = "case,x\n";
    for (int k = 0; k < 40; ++k) pool += fmt::format("p{},{}\n", k, 0.5 * k);
    bench.folder.write("pool.csv", pool);
    study("budget = 24\n");
  }

  void study(const std::string& campaign) {
    bench.study(campaign, "workers = 8\n");
    std::string text = bench.folder.read("S.toml");
    const std::string own = "./answer";
    text.replace(text.find(own), own.size(), "srun -n1 --quiet $ACUITY_STUDY_DIR/answer");
    bench.folder.write("S.toml", text);
  }

  void expect_every_answer_once() {
    std::set<std::int64_t> ids;
    double spent = 0.0;
    for (const nlohmann::json& event : bench.events("told")) {
      EXPECT_TRUE(ids.insert(event["id"].get<std::int64_t>()).second) << event;
      EXPECT_EQ(event["y"].get<double>(), 0.5 * std::stoi(event["point"].get<std::string>().substr(1)));
      spent += event["cost"].get<double>();
    }
    EXPECT_EQ(bench.status()["spent"], spent);
    EXPECT_EQ(bench.status()["pending"], 0);
    EXPECT_EQ(bench.status()["failed"], 0);
  }

  RunBench bench;
  std::unique_ptr<PrivateSlurm> slurm;  // stopped first: no process of an attempt is left then
};

TEST_F(Srun, AnswersComeFromTheNodesOfTheCluster) {
  bench.answer("echo $SLURMD_NODENAME >>$ACUITY_STUDY_DIR/nodes; echo $ACUITY_X_X");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err << slurm->logs();
  expect_every_answer_once();
  EXPECT_GT(bench.status()["spent"].get<double>(), 21.0);
  std::set<std::string> nodes;
  for (const std::string& node : bench.lines("nodes")) nodes.insert(node);
  for (const std::string& node : nodes) EXPECT_TRUE(node == "n0" || node == "n1" || node == "n2") << node;
  EXPECT_GT(nodes.size(), 1U) << "eight steps of one of twelve processors each";
  EXPECT_TRUE(slurm->jobs().empty());
}

// Exit statuses pass through srun, so "never" and "failed" are what the program said.
TEST_F(Srun, PassesOnTheExitStatus) {
  bench.answer("[ $ACUITY_POINT != p3 ] || exit 65; echo $ACUITY_X_X");
  study("budget = 130\n");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::vector<nlohmann::json> excluded = bench.events("excluded");
  ASSERT_GE(excluded.size(), 1U);
  for (const nlohmann::json& event : excluded) EXPECT_EQ(event["point"], "p3");
}

// A second owner ends the steps that the first one left, and asks for the same again.
TEST_F(Srun, IsEndedAndRepeatedAfterTheOwnerWasKilled) {
  bench.answer(
      "echo x >>$ACUITY_STUDY_DIR/begun; [ -e $ACUITY_STUDY_DIR/go ] || sleep 100; echo $ACUITY_X_X");
  Background owner = bench.run_in_background();
  ASSERT_TRUE(comes_true([&] { return bench.lines("begun").size() >= 8; })) << slurm->logs();
  owner.signal(SIGKILL);
  owner.wait();
  bench.folder.write("go", "");
  const ProgramResult result = bench.run();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_every_answer_once();
  EXPECT_TRUE(comes_true([&] { return slurm->jobs().empty(); })) << "the steps of the first owner are ended";
}

// The example beside it, as a user would run it.
TEST_F(Srun, TheExampleRunsOnTheCluster) {
  const Folder copy;
  std::filesystem::copy(std::filesystem::path(ACUITY_SOURCE_DIR) / "examples/slurm", copy.path());
  const ProgramResult result = run_shell("./run", copy.path());
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err << copy.read("run.log");
  EXPECT_TRUE(contains(result.out, "Slurm answers")) << result.out;
}

}  // namespace
}  // namespace acuity::testing::srun_test
