#pragma once

#include <algorithm>

#include "acuity/data/points.hpp"

namespace acuity {

/// The upper one of two in the middle; there is at least one value.
inline double median_of(Vector values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace acuity
