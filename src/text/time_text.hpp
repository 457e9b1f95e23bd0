#pragma once

#include <string>

namespace acuity {

/// A time in UTC as in ISO 8601: 2026-11-16T05:38:47Z, or 2026-11-16T05:38:47.000123Z with microseconds.
std::string time_text(double seconds_since_1970, bool microseconds = false);

}  // namespace acuity
