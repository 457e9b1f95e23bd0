#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

// What people who label are shown besides the items: keys of [people] that no choice depends on. They are
// read from the text of a study, of which the log of a campaign has every version.

namespace acuity {

inline constexpr std::uintmax_t largest_instructions = 64 * 1024;  ///< bytes

/// people.question on one line; empty: the study has none.
std::string people_question(const std::string& study);

/// people.instructions, Markdown of several lines; empty: the study has none. A study that is not frozen may
/// name a file, relative to `folder`.
std::string people_instructions(const std::string& study, const std::filesystem::path& folder = {});

}  // namespace acuity
