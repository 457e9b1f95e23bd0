#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/learning_curve.hpp"

namespace acuity {

/// The paper's sine curves (docs/math.md 10): y = 0.2 x sin(3 x) with noise that grows in x, a uniform pool,
/// weak answers at 100 precisions under a power cost.
struct SineOptions {
  double q = 1.0;  ///< exponent of the cost
  int pool = 6000;
  int initial = 10;  ///< of the pool, at the highest precision
  int test = 2000;
  double budget = 50.0;  ///< the initial set included
  int fit_every = 0;     ///< learn hyperparameters at every k-th annotation, on from the last fit; 0: never
  int repeats = 15;
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: all the machine has; results do not depend on it
};

/// The methods compared, in the order shown.
const std::vector<std::string>& sine_methods();

/// Every method on every repeat; methods share the data of a repeat. `progress` is told, from any thread but
/// one at a time, how many of how many runs are done. Errors are mean squared errors against noisy test
/// answers.
std::vector<ExperimentRun> run_sine(const SineOptions& options,
                                    const std::function<void(int, int)>& progress = {});

}  // namespace acuity
