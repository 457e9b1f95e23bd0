// The program can be looked at with valgrind.
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/program.hpp"
#include "support/thorough.hpp"

namespace acuity::testing::valgrind_test {
namespace {

// What libraries compute before main() must not need numbers of 80 bits, which valgrind does not have.
TEST(Valgrind, FindsNoErrorInTheStartOfTheProgram) {
  if (!thorough()) GTEST_SKIP() << "only in ./run-tests --thorough: it takes some seconds";
  if (std::system("command -v valgrind >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "valgrind is not installed (apt-get install valgrind)";
  const ProgramResult result =
      run_shell("valgrind -q --error-exitcode=99 '" ACUITY_PROGRAM "' --version", "/");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("acuity ")) << result.out;
}

}  // namespace
}  // namespace acuity::testing::valgrind_test
