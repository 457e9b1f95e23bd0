#pragma once

#include <string>
#include <utility>
#include <vector>

namespace acuity {

/// What a program that acuity starts may know of the batch system that acuity itself runs in.
enum class BatchVariables {
  keep,   ///< a command such as srun uses the allocation that acuity runs in
  remove  ///< a job is to be submitted as if from a login node; SLURM_CONF is kept
};

/// The environment of this process for a program that it starts, as NAME=VALUE, with `added`, which override.
///
/// Removed are secrets of acuity itself (ACUITY_TOKEN, PGPASSWORD), the variables of an enclosing attempt
/// about its point, and those that mpirun sets for its ranks (OMPI_*, PMIX_*, PMI_*, OPAL_*, ORTE_*): with
/// them, mpirun started by an annotator would take itself for a rank of the enclosing run. A user's own
/// settings for it (OMPI_MCA_*, OMPI_ALLOW_RUN_AS_ROOT*) are kept if this process was not started by mpirun,
/// which sets variables of the same names.
std::vector<std::string> inherited_environment(const std::vector<std::pair<std::string, std::string>>& added,
                                               BatchVariables batch = BatchVariables::keep);

}  // namespace acuity
