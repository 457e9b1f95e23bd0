#pragma once

#include <cstdlib>

namespace acuity::testing {

/// Whether the tests run at full size: ./run-tests --thorough sets ACUITY_THOROUGH.
inline bool thorough() {
  return std::getenv("ACUITY_THOROUGH") != nullptr;
}

/// How often something is tried: `small` in ./run-tests, `full` in ./run-tests --thorough.
inline int tries(int small, int full) {
  return thorough() ? full : small;
}

}  // namespace acuity::testing
