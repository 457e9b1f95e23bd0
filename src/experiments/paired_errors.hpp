#pragma once

#include <string>
#include <vector>

#include "experiments/learning_curve.hpp"

namespace acuity {

/// The last error that was evaluated: a run may end between two evaluations.
double last_error(const ExperimentRun& run);

/// Final errors of `method` and `over`, paired by repeat: both had the same data, so differences between
/// repeats cancel.
struct PairedErrors {
  int better = 0, worse = 0, equal = 0;
  double median_difference = 0.0;  ///< error of `method` less that of `over`
  double median_over = 0.0;        ///< error of `over`

  int repeats() const { return better + worse + equal; }
  double wins() const { return better + 0.5 * equal; }
  /// By what share of the other's error `method` is better; negative if it is worse.
  double gain() const;
  /// How often a fair coin does as well as `method`, or better (sign test, ties left out).
  double chance_of_better() const;
  double chance_of_worse() const;
};

/// Over the repeats that have both; throws std::invalid_argument if none has.
PairedErrors paired_errors(const std::vector<ExperimentRun>& runs, const std::string& method,
                           const std::string& over);

}  // namespace acuity
