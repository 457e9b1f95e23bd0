#pragma once

#include "acuity/base/job.hpp"

namespace acuity {

/// The processes that do what the command line says together: this process alone, as in `acuity`, or the
/// ranks that mpirun has started. acuity-mpi sets it before anything else.
const Job& this_job();
void set_job(Job job);
/// Whether it was set: mpirun has started this process, perhaps alone.
bool is_started_by_mpirun();

}  // namespace acuity
