#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "support/background.hpp"
#include "support/mpi.hpp"

// Ranks that die, jobs that are stopped, annotators that are MPI programs themselves.

namespace acuity::testing {

namespace {

// The processes that mpirun has started, in the order of ranks.
std::vector<pid_t> ranks_of(pid_t mpirun) {
  std::vector<pid_t> ranks;
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", mpirun));
  for (pid_t process = 0; children >> process;) {
    std::ifstream name(fmt::format("/proc/{}/comm", process));
    std::string word;
    if (name >> word && word == "acuity-mpi") ranks.push_back(process);
  }
  return ranks;
}

// What was asked and answered, in order.
std::vector<std::string> choices_of(const std::string& campaign, const Folder& folder) {
  std::vector<std::string> choices;
  for (const auto& event : log_of(campaign, folder.path())) {
    if (event["event"] == "asked") choices.push_back(event["point"].dump() + event["level"].dump());
    if (event["event"] == "told") choices.push_back(event["y"].dump());
  }
  return choices;
}

class MpiDeath : public ::testing::Test {
 protected:
  void SetUp() override {
    ACUITY_NEEDS_MPI();
    std::string pool = "x,z\n";
    for (int row = 0; row < 1200; ++row)
      pool += fmt::format("{},{}\n", row % 600 * 0.01, row % 600 * 37 % 101 * 0.02);
    folder.write("pool.csv", pool);
    write_study("awk 'BEGIN { print sin({x}) + {z} }'");
    ASSERT_EQ(run_shell("acuity run one.acuity --study study.toml", folder.path()).exit_code, 0);
    expected = choices_of("one.acuity", folder);
    ASSERT_GT(expected.size(), 20U);
  }
  void write_study(const std::string& command) const {
    folder.write("study.toml",
                 "[campaign]\nbudget = 24\n[pool]\nfile = \"pool.csv\"\n"
                 "[model]\namplitude = 1\nlengthscale = 0.6\nfit = \"never\"\nmean = 0\n"
                 "[acquisition]\nplan = \"none\"\n"
                 "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
                 "[[level]]\nname = \"fine\"\nnoise_sd = 0.03\ncost = 2\n"
                 "[annotator]\ncommand = \"" +
                     command + "\"\n");
  }
  std::unique_ptr<Background> start(int ranks, const std::string& words, const std::string& more = "") const {
    return std::make_unique<Background>(
        std::vector<std::string>{"-c", "exec env " + more + mpirun_line(ranks, words, left_behind.path())},
        folder.path(), "/bin/sh");
  }
  std::size_t answers(const std::string& campaign) const {
    std::size_t count = 0;
    for (const auto& event : log_of(campaign, folder.path())) count += event["event"] == "told" ? 1 : 0;
    return count;
  }
  bool has_begun(const std::string& campaign) const {
    return std::filesystem::exists(folder.path() / campaign / "events.sqlite") && answers(campaign) >= 3;
  }
  // Three answers come at once, the others when set_quick(true) was called: a job that is to be ended has not
  // finished before, however busy the machine.
  std::string answers_in_time() const {
    return fmt::format(
        "[ -e {} ] || [ $ACUITY_ID -le 3 ] || sleep 60; awk 'BEGIN {{ print sin({{x}}) + {{z}} }}'",
        (folder.path() / "quick").string());
  }
  void set_quick(bool quick) const {
    if (quick)
      folder.write("quick", "");
    else
      std::filesystem::remove(folder.path() / "quick");
  }
  const Folder folder, left_behind;
  std::vector<std::string> expected;
};

TEST_F(MpiDeath, AnotherNumberOfRanksGoesOn) {
  write_study(answers_in_time());
  for (const int killed : {0, 2}) {
    set_quick(false);
    const std::string campaign = fmt::format("killed{}.acuity", killed);
    const auto job = start(3, "run " + campaign + " --study study.toml");
    ASSERT_TRUE(comes_true([&] { return has_begun(campaign); }));
    const std::vector<pid_t> ranks = ranks_of(job->process());
    ASSERT_EQ(ranks.size(), 3U);
    const auto begin = std::chrono::steady_clock::now();
    ::kill(ranks[static_cast<std::size_t>(killed)], SIGKILL);
    const ProgramResult ended = job->wait();
    EXPECT_EQ(ended.exit_code, 137) << ended.err;
    EXPECT_NE(ended.err.find("signal 9"), std::string::npos) << ended.err;  // mpirun's sentence
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    EXPECT_LT(answers(campaign), expected.size() / 2);
    set_quick(true);
    const ProgramResult resumed = run_ranks(killed == 0 ? 2 : 4, "run " + campaign, folder.path());
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(choices_of(campaign, folder), expected);
  }
}

// mpirun passes SIGUSR1 on to the ranks, and gives them the time they need.
TEST_F(MpiDeath, ASignalStopsTheRunInOrder) {
  write_study("sleep 0.1; awk 'BEGIN { print sin({x}) + {z} }'");
  const auto job = start(3, "run stopped.acuity --study study.toml");
  ASSERT_TRUE(comes_true([&] { return has_begun("stopped.acuity"); }));
  job->signal(SIGUSR1);
  const ProgramResult ended = job->wait();
  EXPECT_EQ(ended.exit_code, 130) << ended.err;
  EXPECT_NE(ended.err.find("interrupted; the same command continues"), std::string::npos) << ended.err;
  // Nobody owns it any more, and nothing is left under way.
  EXPECT_EQ(run_shell("acuity run stopped.acuity", folder.path()).exit_code, 0);
  EXPECT_EQ(choices_of("stopped.acuity", folder), expected);
}

TEST_F(MpiDeath, TheEndOfMpirunLosesNothing) {
  write_study(answers_in_time());
  const auto job = start(2, "run ended.acuity --study study.toml");
  ASSERT_TRUE(comes_true([&] { return has_begun("ended.acuity"); }));
  const std::vector<pid_t> ranks = ranks_of(job->process());
  job->signal(SIGTERM);
  EXPECT_NE(job->wait().exit_code, 0);
  ASSERT_TRUE(comes_true([&] {
    return std::none_of(ranks.begin(), ranks.end(), [](pid_t rank) { return ::kill(rank, 0) == 0; });
  }));
  set_quick(true);
  EXPECT_EQ(run_ranks(1, "run ended.acuity", folder.path()).exit_code, 0);
  EXPECT_EQ(choices_of("ended.acuity", folder), expected);
}

// It would find the environment of the job it is started from and refuse to start.
TEST_F(MpiDeath, AnnotatorsMayBeMpiProgramsThemselves) {
  folder.write("simulate", "#!/bin/sh\n" + mpi_environment(left_behind.path()) +
                               "mpirun -n 2 awk \"BEGIN { print sin($1) + $2 }\" | head -n 1\n");
  std::filesystem::permissions(folder.path() / "simulate", std::filesystem::perms::owner_all);
  write_study("./simulate {x} {z}");
  const ProgramResult result = run_ranks(2, "run nested.acuity --study study.toml", folder.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(choices_of("nested.acuity", folder), expected);
}

// A rank of a job cannot take a campaign that somebody else runs.
TEST_F(MpiDeath, TwoJobsDoNotRunOneCampaign) {
  write_study("sleep 0.1; awk 'BEGIN { print sin({x}) + {z} }'");
  const auto job = start(2, "run owned.acuity --study study.toml");
  ASSERT_TRUE(comes_true([&] { return has_begun("owned.acuity"); }));
  const ProgramResult second = run_ranks(2, "run owned.acuity", folder.path());
  EXPECT_EQ(second.exit_code, 7) << second.err;
  EXPECT_EQ(job->wait().exit_code, 0);
  EXPECT_EQ(choices_of("owned.acuity", folder), expected);
}

}  // namespace

}  // namespace acuity::testing
