// Annotators that start mpirun, run by an acuity that mpirun has started.
#include <gtest/gtest.h>

#include "support/run_bench.hpp"

namespace acuity::testing::mpirun_annotator_test {
namespace {

TEST(MpirunAnnotator, HasItsOwnRanksUnderAnEnclosingMpirun) {
  RunBench bench;
  if (run_shell("command -v mpirun", bench.folder.path()).exit_code != 0)
    GTEST_SKIP() << "mpirun is not installed (Debian: openmpi-bin)";
  const std::string settings =
      "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
      "OMPI_MCA_plm_rsh_agent=; ";
  bench.study("budget = 3\n");
  // Each rank has a file of its own: mpirun may lose output that its ranks print as they end.
  bench.answer(settings +
               "mpirun -n 3 sh -c 'echo $OMPI_COMM_WORLD_SIZE >rank.$OMPI_COMM_WORLD_RANK' >mpirun.log 2>&1; "
               "cat rank.* >ranks; wc -l <ranks");
  const ProgramResult result =
      run_shell(settings + "mpirun -n 1 acuity run C --study S.toml", bench.folder.path());
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto rows = bench.annotations();
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) EXPECT_EQ(value(row, "y"), 3.0);
  EXPECT_EQ(bench.folder.read("C/runs/000001-1/ranks"), "3\n3\n3\n")
      << bench.folder.read("C/runs/000001-1/mpirun.log");
}

}  // namespace
}  // namespace acuity::testing::mpirun_annotator_test
