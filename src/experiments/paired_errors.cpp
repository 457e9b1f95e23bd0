#include "experiments/paired_errors.hpp"

#include "data/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace acuity {

namespace {

// P(at least `heads` heads in `throws` throws of a fair coin); logarithms, as 2^-throws may be too small.
double coin_tail(int heads, int throws) {
  double sum = 0.0;
  for (int k = heads; k <= throws; ++k)
    sum += std::exp(std::lgamma(throws + 1.0) - std::lgamma(k + 1.0) - std::lgamma(throws - k + 1.0) -
                    throws * std::log(2.0));
  return std::min(sum, 1.0);
}

std::map<int, double> last_errors(const std::vector<ExperimentRun>& runs, const std::string& method) {
  std::map<int, double> errors;
  for (const ExperimentRun& run : runs)
    if (run.method == method) errors[run.repeat] = last_error(run);
  return errors;
}

}  // namespace

double last_error(const ExperimentRun& run) {
  return error_at(run, std::numeric_limits<double>::infinity());
}

double PairedErrors::gain() const {
  return median_difference == 0.0 ? 0.0 : -median_difference / median_over;
}

double PairedErrors::chance_of_better() const {
  return coin_tail(better, better + worse);
}

double PairedErrors::chance_of_worse() const {
  return coin_tail(worse, better + worse);
}

PairedErrors paired_errors(const std::vector<ExperimentRun>& runs, const std::string& method,
                           const std::string& over) {
  const std::map<int, double> own = last_errors(runs, method), others = last_errors(runs, over);
  PairedErrors result;
  std::vector<double> differences, over_errors;
  for (const auto& [repeat, error] : own) {
    const auto other = others.find(repeat);
    if (other == others.end()) continue;
    ++(error < other->second ? result.better : error > other->second ? result.worse : result.equal);
    differences.push_back(error - other->second);
    over_errors.push_back(other->second);
  }
  if (differences.empty())
    throw std::invalid_argument("paired_errors: no repeat has runs of " + method + " and " + over +
                                ", must be at least one");
  result.median_difference = quantile(differences, 0.5);
  result.median_over = quantile(over_errors, 0.5);
  return result;
}

}  // namespace acuity
