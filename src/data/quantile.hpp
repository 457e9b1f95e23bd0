#pragma once

#include <vector>

#include "acuity/data/points.hpp"

namespace acuity {

/// The median; for an even number of values the upper of the two in the middle. `values` must not be empty.
double median_of(Vector values);

/// Quantile of unsorted values, linear between order statistics.
double quantile(std::vector<double> values, double share);

}  // namespace acuity
