#pragma once

#include <cstdint>
#include <optional>

#include "acuity/acquisition/information.hpp"
#include "acuity/data/level.hpp"
#include "acuity/data/pool.hpp"
#include "annotation/simulated_annotator.hpp"

namespace acuity {

/// Which repeat of which draw of the data.
struct Repeat {
  std::uint64_t seed = 1;
  int number = 0;
};

/// How large the data of a repeat are.
struct ProblemSize {
  Index pool = 6000;  ///< the initial set included
  Index test = 2000;
};

/// The data of one repeat of an experiment, the same for every method.
struct Problem {
  Pool points;  ///< the pool, then the test points
  Index pool = 0;
  Vector test_values;  ///< answers, or the clean classes
  Offer offer;         ///< at every point that is believed about: all in regression, the pool for classes
  std::optional<ContinuousPrecision> continuous;  ///< instead of the levels, if any precision may be bought
  SimulatedAnnotator::Answer answer;

  Index test() const { return points.size() - pool; }
  Points test_points() const { return points.points().bottomRows(test()); }
};

/// How precisions are offered in an experiment.
enum class Precisions {
  ladder,  ///< the paper's 100 levels
  any      ///< every precision between the lowest and the highest
};

/// What is on offer, and between which precisions any may be bought.
struct PrecisionOffer {
  std::vector<Level> levels;
  std::optional<ContinuousPrecision> continuous;
};

/// Regression: 1 / alpha from 1 to 0, noise gamma / alpha, cost (1 + c / alpha)^-q.
PrecisionOffer regression_offer(double gamma, double c, double q, Precisions precisions);

/// Classes: alpha from 0 to 1, right with probability kappa + gamma alpha, cost 0.1 + 0.9 alpha.
PrecisionOffer class_offer(double kappa, double gamma, Precisions precisions);

}  // namespace acuity
