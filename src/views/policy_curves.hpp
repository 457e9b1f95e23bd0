#pragma once

#include <vector>

#include "campaign/policy_trial.hpp"
#include "experiments/learning_curve.hpp"

namespace acuity {

/// Error against money over the repeats of a policy: the median, and a band around it.
struct PolicyCurve {
  Policy policy = Policy::model;
  std::vector<double> money, low, median, high;
};

/// What the last annotation that so much money pays for had left; where none, the error at the beginning.
double error_at(const PolicyTrial& trial, double money);

/// At evenly spaced amounts from what is spent at the beginning up to `budget`, between these shares of the
/// repeats, for each of the policies in the order of the trials.
std::vector<PolicyCurve> policy_curves(const std::vector<PolicyTrial>& trials, double budget,
                                       double low_share, double high_share);

/// The same for the picture, which calls the ends of any band quartiles.
std::vector<LearningCurve> drawn_curves(const std::vector<PolicyCurve>& curves);

struct Quartiles {
  double first = 0.0, median = 0.0, third = 0.0;
};

/// As quantile(), also where some values are infinite.
Quartiles quartiles(std::vector<double> values);

/// What a policy came to.
struct PolicySummary {
  Policy policy = Policy::model;
  double reached = 0.0;      ///< share of the repeats that came to the error asked about
  Quartiles cost;            ///< money spent when they did so first; infinite for those that did not
  Quartiles final_error;     ///< when the money was spent
  double annotations = 0.0;  ///< median
};

std::vector<PolicySummary> summaries(const std::vector<PolicyTrial>& trials, double error);

/// The smallest error that more than half of a policy's repeats come to by the end of the budget, so that its
/// median cost is finite. Throws std::invalid_argument where the policy was not tried.
double final_error(const std::vector<PolicyTrial>& trials, Policy policy);

}  // namespace acuity
