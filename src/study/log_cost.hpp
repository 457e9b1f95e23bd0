#pragma once

#include <vector>

#include "acuity/data/level.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// Fits the logarithm of cost / guess as a linear function of the inputs (docs/math.md 5.7). `inputs`: one
/// row per answer, standardised.
LogCost fit_log_cost(const Points& inputs, const Vector& log_ratios);

/// What answers at these inputs, one per row and standardised, are expected to cost, and the 90 % quantile.
PointCosts costs_at(const LogCost& fitted, double guess, const Points& inputs);

}  // namespace acuity
