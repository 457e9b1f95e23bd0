#pragma once

#include "experiments/problem.hpp"

namespace acuity {

/// The paper's sine curves (docs/math.md 10): y = 0.2 x sin(frequency x) with noise that grows in x.
struct SineOptions {
  double frequency = 3.0;
  bool skewed = false;  ///< nine of ten pool points are in the first half
  double q = 1.0;       ///< exponent of the cost
};

/// Test answers are noisy, of the highest precision.
Problem sine_problem(const SineOptions& options, Precisions precisions, const ProblemSize& size,
                     const Repeat& repeat);

}  // namespace acuity
