#pragma once

#include <chrono>

namespace acuity {

/// Seconds since 1970, the time stamp of events.
inline double now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace acuity
