#include "experiments/learning_curve.hpp"

#include "data/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace acuity {

RunSeconds& RunSeconds::operator+=(const RunSeconds& other) {
  total += other.total;
  learning += other.learning;
  choosing += other.choosing;
  updating += other.updating;
  evaluating += other.evaluating;
  return *this;
}

double error_at(const ExperimentRun& run, double cost) {
  const Step* before = nullptr;
  for (const Step& step : run.steps) {
    if (std::isnan(step.error)) continue;
    if (step.spent >= cost) {
      if (before == nullptr || step.spent == cost) return step.error;
      const double share = (cost - before->spent) / (step.spent - before->spent);
      return before->error + share * (step.error - before->error);
    }
    before = &step;
  }
  if (before == nullptr) throw std::invalid_argument("error_at: the run has no evaluated step");
  return before->error;
}

LearningCurve learning_curve(const std::string& method, const std::vector<ExperimentRun>& runs, double from,
                             double to, double step) {
  LearningCurve curve{.method = method};
  const auto count = static_cast<int>(std::floor((to - from) / step + 1e-9));
  for (int k = 0; k <= count; ++k) {
    const double cost = from + step * k;
    std::vector<double> errors;
    for (const ExperimentRun& run : runs)
      if (run.method == method) errors.push_back(error_at(run, cost));
    curve.cost.push_back(cost);
    curve.first_quartile.push_back(quantile(errors, 0.25));
    curve.median.push_back(quantile(errors, 0.5));
    curve.third_quartile.push_back(quantile(errors, 0.75));
  }
  return curve;
}

}  // namespace acuity
