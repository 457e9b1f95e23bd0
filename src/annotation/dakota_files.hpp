#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "annotation/reply.hpp"
#include "annotation/request.hpp"

// Runs drivers written for Dakota the way Dakota does: `driver params.in results.out` (docs/annotators.md).

namespace acuity {

/// Throws InputError if an input's name contains blanks or equals one of the names that acuity adds.
void check_dakota_names(const StudyFile& study, const std::vector<Input>& inputs);

/// The command with `{PARAMETERS}` and `{RESULTS}` replaced; if it contains neither, both files are appended.
std::string dakota_command(const std::string& command);

/// params.in, in Dakota's standard form: the inputs, then the level's value as a state variable `value`.
std::string dakota_parameters(const Request& request);
/// params.json, in Dakota's JSON form.
std::string dakota_parameters_json(const Request& request);

/// Reads results.out in either form: the first response is y; metadata `cost` and `noise_sd` are used. `fail`
/// means that there is no answer.
ReplyReading read_dakota_results(const std::filesystem::path& folder);
ReplyReading parse_dakota_results(std::string_view text);

}  // namespace acuity
