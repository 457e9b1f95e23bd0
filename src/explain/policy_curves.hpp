#pragma once

#include <vector>

#include "explain/policy_trial.hpp"

namespace acuity {

/// Error as a function of money over the repeats of a policy: the median and a band around it.
struct PolicyCurve {
  Policy policy = Policy::model;
  std::vector<double> money, low, median, high;
};

/// The error after the last annotation that `money` pays for; the initial error if it pays for none.
double error_at(const PolicyTrial& trial, double money);

/// One curve per policy, in the order of the trials, at evenly spaced amounts from the initial spending to
/// `budget`; the band is between these quantiles of the repeats.
std::vector<PolicyCurve> policy_curves(const std::vector<PolicyTrial>& trials, double budget,
                                       double low_share, double high_share);

struct Quartiles {
  double first = 0.0, median = 0.0, third = 0.0;
};

/// As quantile(), but values may be infinite.
Quartiles quartiles(std::vector<double> values);

/// Summary of all repeats of a policy.
struct PolicySummary {
  Policy policy = Policy::model;
  double reached = 0.0;      ///< share of the repeats that reached the given error
  Quartiles cost;            ///< money spent when they first reached it; infinite for those that did not
  Quartiles final_error;     ///< at the end of the budget
  double annotations = 0.0;  ///< median
};

std::vector<PolicySummary> summaries(const std::vector<PolicyTrial>& trials, double error);

/// The smallest error that more than half of a policy's repeats reach within the budget, so that its median
/// cost is finite. Throws std::invalid_argument if the policy was not tried.
double final_error(const std::vector<PolicyTrial>& trials, const Policy& policy);

}  // namespace acuity
