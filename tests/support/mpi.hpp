#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace acuity::testing {

/// Where acuity-mpi is, beside the program; it is built where MPI is installed.
inline std::filesystem::path mpi_program() {
  return std::filesystem::path(ACUITY_PROGRAM).parent_path() / "acuity-mpi";
}

/// Why tests of acuity-mpi cannot run here; empty if they can.
inline std::string why_no_mpi() {
  if (!std::filesystem::exists(mpi_program()))
    return "acuity-mpi was not built: MPI is not installed (libopenmpi-dev)";
  if (std::system("command -v mpirun > /dev/null 2>&1") != 0) return "there is no mpirun (openmpi-bin)";
  return "";
}

#define ACUITY_NEEDS_MPI() \
  if (const std::string why = acuity::testing::why_no_mpi(); !why.empty()) GTEST_SKIP() << why

/// The settings of a test: any number of ranks on any machine, also for root and where /sys is not mounted,
/// which hwloc would complain about; what a killed job leaves behind is in `folder`.
inline std::string mpi_environment(const std::filesystem::path& folder) {
  return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
         "HWLOC_HIDE_ERRORS=2 "
         "OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=self,vader,tcp "
         "OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_orte_tmpdir_base=" +
         folder.string() + " OMPI_MCA_btl_vader_backing_directory=" + folder.string() + " ";
}

inline std::string mpirun_line(int ranks, const std::string& words, const std::filesystem::path& folder) {
  return mpi_environment(folder) + "mpirun -n " + std::to_string(ranks) + " " + mpi_program().string() + " " +
         words;
}

/// `mpirun -n RANKS acuity-mpi WORDS`
inline ProgramResult run_ranks(int ranks, const std::string& words, const std::filesystem::path& folder) {
  const Folder left_behind;
  return run_shell(mpirun_line(ranks, words, left_behind.path()), folder);
}

/// The log of a campaign without what differs between two runs that do the same: times, and who runs it.
inline std::vector<nlohmann::json> log_of(const std::string& campaign, const std::filesystem::path& folder) {
  const ProgramResult exported = run_shell("acuity export " + campaign + " --events -", folder);
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  std::vector<nlohmann::json> events;
  std::istringstream lines(exported.out);
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json event = nlohmann::json::parse(line);
    if (event["event"] == "owner") continue;
    for (const char* key : {"seq", "time", "study_folder"}) event.erase(key);
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace acuity::testing
