#pragma once

#include <string>
#include <vector>

namespace acuity {

/// One annotation of a run, and the error of the model after it.
struct Step {
  std::string point;
  double alpha = 0.0;
  double information = 0.0;  ///< NaN for the initial set, which is not chosen
  double cost = 0.0;
  double spent = 0.0;  ///< this annotation included
  double y = 0.0;
  double error = 0.0;  ///< of the model after this annotation; NaN if not evaluated
};

/// What the CPU time of a run was used for.
struct RunSeconds {
  double total = 0.0, learning = 0.0, choosing = 0.0, updating = 0.0, evaluating = 0.0;

  RunSeconds& operator+=(const RunSeconds& other);
};

/// One repeat of one method.
struct ExperimentRun {
  std::string method;
  int repeat = 0;
  std::vector<Step> steps;
  RunSeconds seconds;

  double final_error() const { return steps.back().error; }
};

/// Error against money, over repeats of one method.
struct LearningCurve {
  std::string method;
  std::vector<double> cost, first_quartile, median, third_quartile;
};

/// The error of a run at a cost: linear between evaluations, the last value held.
double error_at(const ExperimentRun& run, double cost);

/// Quartiles over the runs of `method` at costs from, from + step, ..., to.
LearningCurve learning_curve(const std::string& method, const std::vector<ExperimentRun>& runs, double from,
                             double to, double step);

}  // namespace acuity
