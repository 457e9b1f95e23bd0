#pragma once

#include <optional>
#include <ostream>
#include <variant>

#include "commands.hpp"

namespace acuity {

using Arguments =
    std::variant<ScoreArguments, PredictArguments, FitArguments, PoolConvertArguments, PoolShowArguments,
                 ReproduceArguments, BacktestArguments, InitArguments, RunArguments, AskArguments,
                 TellArguments, FailArguments, ReleaseArguments, AmendArguments, StatusArguments,
                 VerifyArguments, CheckArguments, ExplainArguments, ExportArguments, ReportArguments>;

/// The command asked for; or, where there is nothing more to do (help, version, a usage error), an exit code.
std::variant<Arguments, ExitCode> parse_command_line(int argc, char** argv, std::ostream& out,
                                                     std::ostream& log);

}  // namespace acuity
