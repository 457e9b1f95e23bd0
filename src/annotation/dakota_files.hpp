#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "annotation/reply.hpp"
#include "annotation/request.hpp"

// Drivers written for Dakota, called as Dakota calls them: `driver params.in results.out`
// (docs/annotators.md).

namespace acuity {

/// Dakota's names have no blanks, and ours must not meet an input's. Throws InputError.
void check_dakota_names(const StudyFile& study, const std::vector<std::string>& inputs);

/// The command with `{PARAMETERS}` and `{RESULTS}` replaced; where it names none of the files, they are
/// appended.
std::string dakota_command(const std::string& command);

/// params.in, in Dakota's standard form: the inputs, then the level's value as a state variable `value`.
std::string dakota_parameters(const Request& request);
/// params.json, the same in its JSON form.
std::string dakota_parameters_json(const Request& request);

/// results.out in either form: the first response is y; metadata `cost` and `noise_sd` count. `fail` is no
/// answer.
ReplyReading read_dakota_results(const std::filesystem::path& folder);
ReplyReading parse_dakota_results(std::string_view text);

}  // namespace acuity
