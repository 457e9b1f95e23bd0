#pragma once

#include <vector>

#include "acuity/data/input.hpp"
#include "acuity/data/level.hpp"
#include "acuity/study/study_learner.hpp"

namespace acuity {

/// What costs may depend on: every standardised number and its square, with mean 0 and variance 1 over normal
/// values, and a column of 0 and 1 for every value of a category.
Points cost_features(const Points& standardised, const std::vector<Input>& inputs);

/// Answers of a level that reported their costs: features of one answer per row, and log(cost / guess).
struct CostReports {
  Points inputs;
  Vector log_ratios;
};

/// Fits the logarithm of cost / guess as a linear function of the inputs (docs/math.md 5.7).
/// `expected_slopes` are what other levels suggest, one per feature; empty: 0.
LogCost fit_log_cost(const CostReports& reports, const Vector& expected_slopes = {});

/// The slopes that several levels have in common, every level with a factor of its own.
Vector common_slopes(const std::vector<CostReports>& levels, Index features);

/// What answers are expected to cost, and the 90 % quantile, one each per row of features.
struct ExpectedCosts {
  Vector expected, reserved;
};
ExpectedCosts costs_at(const LogCost& fitted, double guess, const Points& inputs);

}  // namespace acuity
