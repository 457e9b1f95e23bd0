#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace acuity {

/// "90s", "30m", "2h", "1.5d" or several of them, "1h 30m", in seconds; nothing where it is none, or 0.
std::optional<double> to_seconds(std::string_view text);

/// What a complaint asks for.
inline constexpr const char* duration_requirement =
    "a duration above 0 such as \"90s\", \"30m\", \"2h\" or \"3d\"";

/// For people: "1 min 30 s".
std::string in_words(double seconds);

}  // namespace acuity
