#pragma once

#include <algorithm>

#include "acuity/data/points.hpp"

namespace acuity {

/// The median; for an even number of values the upper of the two in the middle. `values` must not be empty.
inline double median_of(Vector values) {
  auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace acuity
