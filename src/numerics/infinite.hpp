#pragma once

#include <limits>

namespace acuity {

inline constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace acuity
