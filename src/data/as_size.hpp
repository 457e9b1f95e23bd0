#pragma once

#include <cstddef>

#include "acuity/data/points.hpp"

namespace acuity {

/// Eigen counts with signed numbers, the standard library with unsigned ones: `values[at(i)]`.
inline std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

}  // namespace acuity
