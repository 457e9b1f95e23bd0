#pragma once

#include "experiments/problem.hpp"

namespace acuity {

/// The paper's toy classes on [-2, 2]^2 (docs/math.md 10).
enum class ToySet {
  noisy_block = 1,  ///< most of the pool in the middle, where both classes are nearly equally likely
  far_block = 2,    ///< most of the pool in a corner far from the boundary
  checkers = 3      ///< a checker board
};

struct ToyOptions {
  ToySet set = ToySet::noisy_block;
  double kappa = 0.8, gamma = 0.2;
};

/// Test values are the clean classes, -1 and +1.
Problem toy_problem(const ToyOptions& options, Precisions precisions, const ProblemSize& size,
                    const Repeat& repeat);

/// The class of a point without any noise.
double clean_class(ToySet set, double x1, double x2);

}  // namespace acuity
