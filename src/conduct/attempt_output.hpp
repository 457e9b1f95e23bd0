#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace acuity {

/// The last lines of output of the last attempt at a suggestion, safe to show; empty if there are none.
/// `runs`: the folder of the attempts (runs_folder()). Reads nothing outside of it: links are not followed.
std::string attempt_output(const std::filesystem::path& runs, std::int64_t id);

}  // namespace acuity
