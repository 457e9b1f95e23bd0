#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "program.hpp"

namespace acuity {

/// Does what the words ask for: results go to `out`, notes and the sentence of an error to `log`.
ExitCode run_command_line(Program& program, const std::vector<std::string>& words, std::ostream& out,
                          std::ostream& log);

/// Replaces passwords in the words of a command line, which other users can see as long as the process runs.
void hide_passwords(int argc, char** argv);

}  // namespace acuity
