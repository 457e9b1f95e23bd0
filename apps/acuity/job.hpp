#pragma once

#include <memory>

#include "acuity/base/ranks.hpp"

namespace acuity {

/// The processes that do what the command line says together; null: this one alone, as in `acuity`.
/// acuity-mpi sets it before anything else.
const std::shared_ptr<Ranks>& job_ranks();
void set_job_ranks(std::shared_ptr<Ranks> ranks);

}  // namespace acuity
