#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/mpi.hpp"

// `acuity-mpi score` prints what `acuity score` prints, on any number of ranks.

namespace acuity::testing {

namespace {

class MpiScore : public ::testing::Test {
 protected:
  void SetUp() override {
    ACUITY_NEEDS_MPI();
    std::string pool = "x,z\n";
    for (int row = 0; row < 900; ++row) pool += fmt::format("{},{}\n", row % 450 * 0.01, row % 450 % 7);
    folder.write("pool.csv", pool);
    folder.write("known.csv", "x,z,y,level\n1.5,3,0.4,fine\n2.5,1,-0.3,coarse\n0.1,0,1.2,fine\n");
    folder.write("study.toml",
                 "[campaign]\nbudget = 40\n[pool]\nfile = \"pool.csv\"\n"
                 "[model]\namplitude = 1\nlengthscale = 0.6\nfit = \"never\"\n"
                 "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n"
                 "[[level]]\nname = \"fine\"\nnoise_sd = 0.03\ncost = 4\n"
                 "[annotator]\ncommand = \"awk 'BEGIN { print sin({x}) + {z} }'\"\n");
  }
  void expect_the_same(const std::string& words) const {
    const ProgramResult alone = run_shell("acuity " + words, folder.path());
    EXPECT_EQ(alone.exit_code, 0) << alone.err;
    for (const int ranks : {1, 2, 4}) {
      const ProgramResult together = run_ranks(ranks, words, folder.path());
      EXPECT_EQ(together.exit_code, 0) << together.err;
      EXPECT_EQ(together.out, alone.out) << ranks << " ranks: " << words;
      EXPECT_EQ(together.err, alone.err) << ranks << " ranks: " << words;
    }
  }
  const Folder folder;
};

TEST_F(MpiScore, PrintsTheSameTableOfAStudy) {
  expect_the_same("score study.toml --annotations known.csv");
  expect_the_same("score study.toml --annotations known.csv --top 5 --format json");
  expect_the_same("score study.toml --annotations known.csv --top 1");
  expect_the_same("score study.toml --annotations known.csv --top 3 --batch");
}

TEST_F(MpiScore, ShowsTheNextChoiceOfACampaign) {
  ASSERT_EQ(run_shell("acuity init c.acuity --study study.toml && acuity ask c.acuity -n 3", folder.path())
                .exit_code,
            0);
  expect_the_same("score c.acuity --top 4");
}

TEST_F(MpiScore, SaysWhatIsWrongOnce) {
  folder.write("bad.csv", "x,z,y,level\n1.5,3,none,fine\n");
  for (const std::string words :
       {"score nothing.toml", "score study.toml --annotations bad.csv", "run c.acuity"}) {
    const ProgramResult alone = run_shell("acuity " + words, folder.path());
    const ProgramResult together = run_ranks(3, words, folder.path());
    EXPECT_EQ(alone.exit_code, 2);
    EXPECT_EQ(together.exit_code, 2) << words;
    // What mpirun says about the exit code comes after it.
    EXPECT_TRUE(together.err.starts_with(alone.err)) << together.err;
    EXPECT_EQ(together.err.find(alone.err, 1), std::string::npos) << together.err;
  }
}

// The second rank cannot read what the first can: all end with its sentence.
TEST_F(MpiScore, AnErrorOfOneRankIsThatOfAll) {
  std::filesystem::create_directory(folder.path() / "elsewhere");
  const Folder left_behind;
  const std::string words = mpi_program().string() + " score study.toml";
  const ProgramResult result =
      run_shell(mpi_environment(left_behind.path()) + "timeout -s KILL 60 mpirun -n 1 " + words +
                    " : -n 1 --wdir " + (folder.path() / "elsewhere").string() + " " + words,
                folder.path());
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_TRUE(result.err.starts_with("study.toml: ")) << result.err;
}

}  // namespace

}  // namespace acuity::testing
