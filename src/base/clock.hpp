#pragma once

#include <chrono>

namespace acuity {

/// Seconds since 1970, the time stamp of events.
inline double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Seconds by which a log may be ahead of a clock, as clocks of several hosts are. Beyond that an event was
/// written while a clock was wrong.
inline constexpr double usual_clock_difference = 120.0;

}  // namespace acuity
