#pragma once

#include <string>

#include "acuity/study/target.hpp"

namespace acuity {

/// The key by which levels of a real target state their noise.
inline std::string noise_key(const Target& target) {
  return target.is_logarithmic() ? "noise_relative" : "noise_sd";
}

}  // namespace acuity
