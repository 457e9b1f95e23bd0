#include "annotation/inherited_environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "support/attempts.hpp"

namespace acuity::testing::inherited_environment_test {
namespace {

// Variables of this process for the time of a test.
class Variables {
 public:
  explicit Variables(std::vector<std::pair<std::string, std::string>> variables)
      : variables_(std::move(variables)) {
    for (const auto& [name, value] : variables_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  ~Variables() {
    for (const auto& [name, value] : variables_) ::unsetenv(name.c_str());
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;

 private:
  std::vector<std::pair<std::string, std::string>> variables_;
};

bool has(const std::vector<std::string>& environment, const std::string& line) {
  return std::find(environment.begin(), environment.end(), line) != environment.end();
}

TEST(InheritedEnvironment, KeepsWhatIsOfNobodysConcern) {
  const Variables set({{"HOME_OF_A_TEST", "here = there"}, {"SLURM_CONF", "/x/slurm.conf"}});
  for (const BatchVariables batch : {BatchVariables::keep, BatchVariables::remove}) {
    const std::vector<std::string> found = inherited_environment({{"ACUITY_ID", "57"}}, batch);
    EXPECT_TRUE(has(found, "HOME_OF_A_TEST=here = there"));
    EXPECT_TRUE(has(found, "SLURM_CONF=/x/slurm.conf"));
    EXPECT_TRUE(has(found, "ACUITY_ID=57"));
  }
}

TEST(InheritedEnvironment, TheRequestOverridesAndAnEnclosingAttemptsPointIsGone) {
  const Variables set({{"ACUITY_ID", "1"}, {"ACUITY_X_OLD", "2"}, {"ACUITY_RESUME_FROM", "/x"}});
  const std::vector<std::string> found = inherited_environment({{"ACUITY_ID", "57"}, {"ACUITY_X_NEW", "3"}});
  EXPECT_TRUE(has(found, "ACUITY_ID=57"));
  EXPECT_TRUE(has(found, "ACUITY_X_NEW=3"));
  EXPECT_FALSE(has(found, "ACUITY_ID=1"));
  EXPECT_FALSE(has(found, "ACUITY_X_OLD=2"));
  EXPECT_FALSE(has(found, "ACUITY_RESUME_FROM=/x"));
}

// An annotator is often a program of somebody else, and its output is kept.
TEST(InheritedEnvironment, SecretsOfAcuityAreNotPassedOn) {
  const Variables set({{"PGPASSWORD", "secret"}, {"ACUITY_TOKEN", "token"}, {"PGUSER", "ann"}});
  const std::vector<std::string> found = inherited_environment({});
  EXPECT_FALSE(has(found, "PGPASSWORD=secret"));
  EXPECT_FALSE(has(found, "ACUITY_TOKEN=token"));
  EXPECT_TRUE(has(found, "PGUSER=ann"));
}

TEST(InheritedEnvironment, SettingsForMpirunAreTheUsersUnlessMpirunStartedUs) {
  const Variables set({{"OMPI_MCA_btl", "self"}, {"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OPAL_PREFIX", "/x"}});
  const std::vector<std::string> outside = inherited_environment({});
  EXPECT_TRUE(has(outside, "OMPI_MCA_btl=self"));
  EXPECT_TRUE(has(outside, "OMPI_ALLOW_RUN_AS_ROOT=1"));
  EXPECT_FALSE(has(outside, "OPAL_PREFIX=/x"));
  const Variables rank({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}});
  const std::vector<std::string> inside = inherited_environment({});
  EXPECT_FALSE(has(inside, "OMPI_MCA_btl=self"));
  EXPECT_FALSE(has(inside, "OMPI_ALLOW_RUN_AS_ROOT=1"));
}

TEST(InheritedEnvironment, SubmittedJobsDoNotSeeTheJobThatAcuityRunsIn) {
  const Variables set({{"SLURM_JOB_ID", "9"}, {"SLURM_NTASKS", "64"}});
  EXPECT_TRUE(has(inherited_environment({}), "SLURM_JOB_ID=9")) << "srun uses its allocation";
  const std::vector<std::string> found = inherited_environment({}, BatchVariables::remove);
  EXPECT_FALSE(has(found, "SLURM_JOB_ID=9"));
  EXPECT_FALSE(has(found, "SLURM_NTASKS=64"));
}

// As the command sees it: nothing that mpirun has set for its ranks.
TEST(InheritedEnvironment, ACommandIsNoRankOfTheRunThatAcuityIsIn) {
  const Variables set({{"OMPI_COMM_WORLD_RANK", "1"},
                       {"OMPI_MCA_ess_base_jobid", "7"},
                       {"PMIX_RANK", "1"},
                       {"PMI_SIZE", "2"},
                       {"OPAL_OUTPUT", "x"},
                       {"ORTE_X", "y"},
                       {"NOT_OMPI_X", "z"}});
  AttemptBench bench;
  const AttemptOutcome outcome =
      bench.run("env | grep -cE '^(OMPI|PMIX|PMI|OPAL|ORTE)_'; env | grep -c ^NOT_OMPI_X=z");
  EXPECT_EQ(y_of(outcome), 1.0) << "the last line: what is not of mpirun stays";
  EXPECT_EQ(bench.folder.read("runs/000057-1/stdout.log"), "0\n1\n");
}

}  // namespace
}  // namespace acuity::testing::inherited_environment_test
