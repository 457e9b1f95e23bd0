#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/mpi.hpp"

// Commands of which ranks share the work, not the pool: the results are those of one process.

namespace acuity::testing {

namespace {

TEST(MpiBacktest, HasTheResultsOfOneProcess) {
  ACUITY_NEEDS_MPI();
  const Folder folder;
  std::string pool = "name,x\n", truth = "name,y\n";
  for (int row = 0; row < 60; ++row) {
    pool += fmt::format("p{},{}\n", row, row * 0.1);
    truth += fmt::format("p{},{:.6f}\n", row, std::sin(row * 0.1));
  }
  folder.write("pool.csv", pool);
  folder.write("truth.csv", truth);
  folder.write("study.toml",
               "[campaign]\nbudget = 12\n[pool]\nfile = \"pool.csv\"\nid = \"name\"\n"
               "[model]\namplitude = 1\nlengthscale = 0.5\nfit = \"never\"\n"
               "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
               "[[level]]\nname = \"fine\"\nnoise_sd = 0.03\ncost = 3\n");
  const std::string words =
      "backtest study.toml --truth truth.csv --repeats 3 --policies model,random,bald --format json --out ";
  const ProgramResult alone = run_shell("acuity " + words + "one", folder.path());
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  for (const int ranks : {2, 4}) {  // 9 trials: shares of different sizes
    const std::string out = fmt::format("ranks{}", ranks);
    const ProgramResult together = run_ranks(ranks, words + out, folder.path());
    EXPECT_EQ(together.exit_code, 0) << together.err;
    EXPECT_EQ(together.out, alone.out);
    for (const char* file : {"/curves.csv", "/summary.json", "/figure.svg"})
      EXPECT_EQ(folder.read(out + file), folder.read(std::string("one") + file)) << file;
  }
  const ProgramResult wrong = run_ranks(2, "backtest study.toml --truth none.csv", folder.path());
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(wrong.err.starts_with("none.csv: ")) << wrong.err;
}

TEST(MpiReproduce, HasTheResultsOfOneProcess) {
  ACUITY_NEEDS_MPI();
  const Folder folder;
  const std::string words = "reproduce sine-q1 --small --repeats 2 --format json --out ";
  const ProgramResult alone = run_shell("acuity " + words + "one", folder.path());
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const ProgramResult together = run_ranks(3, words + "three --threads 1", folder.path());
  EXPECT_EQ(together.exit_code, 0) << together.err;
  EXPECT_EQ(together.out, alone.out);
  EXPECT_EQ(folder.read("three/sine-q1/runs.csv"), folder.read("one/sine-q1/runs.csv"));
  // What is there already is not computed again, and more repeats are added.
  const ProgramResult more =
      run_ranks(2, "reproduce sine-q1 --small --repeats 3 --format json --out three", folder.path());
  EXPECT_EQ(more.exit_code, 0) << more.err;
  const ProgramResult three =
      run_shell("acuity reproduce sine-q1 --small --repeats 3 --format json --out one", folder.path());
  EXPECT_EQ(more.out, three.out);
}

}  // namespace

}  // namespace acuity::testing
