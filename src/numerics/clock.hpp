#pragma once

#include <chrono>

namespace acuity::numerics {

/// Seconds since 1970, as events are dated.
inline double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace acuity::numerics
