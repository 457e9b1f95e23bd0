#include "explain/policy_curves.hpp"

#include "data/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace acuity {

namespace {

constexpr int steps = 100;

std::vector<Policy> policies_in(const std::vector<PolicyTrial>& trials) {
  std::vector<Policy> policies;
  for (const PolicyTrial& trial : trials)
    if (std::find(policies.begin(), policies.end(), trial.policy) == policies.end())
      policies.push_back(trial.policy);
  return policies;
}

template <typename Measure>
std::vector<double> over_repeats(const std::vector<PolicyTrial>& trials, const Policy& policy,
                                 const Measure& measure) {
  std::vector<double> values;
  for (const PolicyTrial& trial : trials)
    if (trial.policy == policy) values.push_back(measure(trial));
  return values;
}

// The money spent when the error was first reached.
double cost_of(const PolicyTrial& trial, double error) {
  for (const TrialStep& step : trial.steps)
    if (step.error <= error) return step.spent;
  return std::numeric_limits<double>::infinity();
}

double last_error(const PolicyTrial& trial) {
  return trial.steps.back().error;
}

// A number and infinity cannot be interpolated.
double with_infinities(const std::vector<double>& sorted, double share) {
  const double position = share * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(position);
  const double rest = position - static_cast<double>(below);
  if (rest == 0.0 || std::isinf(sorted[below + 1])) return rest == 0.0 ? sorted[below] : sorted[below + 1];
  return sorted[below] + rest * (sorted[below + 1] - sorted[below]);
}

}  // namespace

double error_at(const PolicyTrial& trial, double money) {
  double error = trial.steps.front().error;
  for (const TrialStep& step : trial.steps) {
    if (step.spent > money * (1.0 + 1e-9)) break;
    error = step.error;
  }
  return error;
}

std::vector<PolicyCurve> policy_curves(const std::vector<PolicyTrial>& trials, double budget,
                                       double low_share, double high_share) {
  std::vector<PolicyCurve> curves;
  for (const Policy& policy : policies_in(trials)) {
    PolicyCurve curve{.policy = policy, .money = {}, .low = {}, .median = {}, .high = {}};
    const double from = trials.front().steps.front().spent;
    for (int k = 0; k <= steps; ++k) {
      const double money = from + (budget - from) * k / steps;
      const std::vector<double> errors =
          over_repeats(trials, policy, [money](const PolicyTrial& trial) { return error_at(trial, money); });
      curve.money.push_back(money);
      curve.low.push_back(quantile(errors, low_share));
      curve.median.push_back(quantile(errors, 0.5));
      curve.high.push_back(quantile(errors, high_share));
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

Quartiles quartiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {with_infinities(values, 0.25), with_infinities(values, 0.5), with_infinities(values, 0.75)};
}

std::vector<PolicySummary> summaries(const std::vector<PolicyTrial>& trials, double error) {
  std::vector<PolicySummary> all;
  for (const Policy& policy : policies_in(trials)) {
    const std::vector<double> costs =
        over_repeats(trials, policy, [error](const PolicyTrial& trial) { return cost_of(trial, error); });
    const auto reached = std::count_if(costs.begin(), costs.end(), [](double c) { return std::isfinite(c); });
    const std::vector<double> counts = over_repeats(
        trials, policy, [](const PolicyTrial& trial) { return static_cast<double>(trial.annotations()); });
    all.push_back({.policy = policy,
                   .reached = static_cast<double>(reached) / static_cast<double>(costs.size()),
                   .cost = quartiles(costs),
                   .final_error = quartiles(over_repeats(trials, policy, last_error)),
                   .annotations = quantile(counts, 0.5)});
  }
  return all;
}

double final_error(const std::vector<PolicyTrial>& trials, const Policy& policy) {
  std::vector<double> errors = over_repeats(trials, policy, last_error);
  if (errors.empty()) throw std::invalid_argument("final_error: the policy was not tried, must be");
  std::sort(errors.begin(), errors.end());
  return errors[errors.size() / 2];
}

}  // namespace acuity
