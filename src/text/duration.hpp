#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace acuity {

/// "90s", "30m", "2h", "1.5d" or several of them, "1h 30m", in seconds; nothing if it is not a duration or is
/// 0.
std::optional<double> to_seconds(std::string_view text);

/// The requirement in error messages.
inline constexpr const char* duration_requirement =
    "a duration above 0 such as \"90s\", \"30m\", \"2h\" or \"3d\"";

/// A duration as text: "1 min 30 s".
std::string in_words(double seconds);

}  // namespace acuity
