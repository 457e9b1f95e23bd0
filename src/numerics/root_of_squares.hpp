#pragma once

#include <cmath>

namespace acuity::numerics {

/// The root of a^2 + b^2. std::hypot is the only function of glibc 2.35 that acuity would need: without it
/// the program and the Python wheel also start on systems with 2.34.
inline double root_of_squares(double a, double b) {
  return std::sqrt(a * a + b * b);
}

}  // namespace acuity::numerics
