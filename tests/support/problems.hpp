#pragma once

#include <cstdint>
#include <vector>

#include "acuity/data/level.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/model/prior.hpp"

// Seeded problems that tests and benchmarks share.

namespace acuity::testing {

struct ProblemOptions {
  Index pool = 50;
  Index observations = 12;
  Index inputs = 1;
  double lengthscale = 1.0;
  std::uint64_t seed = 1;
};

/// A smooth function observed with noise that differs from point to point.
struct Problem {
  Prior prior;
  Points pool;
  std::vector<Observation> observations;  ///< some at pool points, some elsewhere

  Observations columns() const { return {observations, pool}; }
};

Problem make_problem(const ProblemOptions& options = {});

/// Levels 1 / alpha uniform on [0, 1], gamma 0.09, cost (1 + 9 / alpha)^-q.
std::vector<Level> ladder(int count, double q);

/// The slow twin of every posterior: the textbook formula, inverse and all, in long double.
Marginals predict_by_inverse(const Prior& prior, const Observations& observations, const Points& at);

}  // namespace acuity::testing
