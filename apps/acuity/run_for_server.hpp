#pragma once

#include <ostream>

#include "program.hpp"
#include "run_arguments.hpp"

namespace acuity {

/// `acuity run --join`: works for a campaign that `acuity serve` serves elsewhere. C is the folder for copies
/// of its study and for attempts.
ExitCode run_for_server(const RunArguments& arguments, std::ostream& out, std::ostream& log);

}  // namespace acuity
