#pragma once

#include <cstdint>

#include "acuity/acquisition/find_information.hpp"
#include "acuity/data/points.hpp"

// What is known of what a goal seeks, from the belief about f at its points.

namespace acuity {

/// Of a contour (math.md eq. (19.1)): shares of the goal by weight.
struct ContourKnowledge {
  double wrong_share = 0.0;      ///< expected to be on the other side of the threshold than its mean
  double uncertain_share = 0.0;  ///< on neither side with a probability of 97.5 %
  double spread = 0.0;           ///< the sum of w p (1 - p)
};
/// Variances up to `known` count as 0.
ContourKnowledge contour_knowledge(const Vector& mean, const Vector& variance, const Vector& weights,
                                   double threshold, double known);
/// The probability that f is above the threshold.
double probability_above(double mean, double variance, double threshold, double known);

/// Of the best point, by joint draws of f at all points (math.md eq. (20.7)).
struct BestKnowledge {
  double expected_regret = 0.0;  ///< E max f - max mean
  Vector probability;            ///< of every point to be the best
};
/// `covariance`: of f at these points. Minima are maxima of -f.
BestKnowledge best_knowledge(const Vector& mean, const Matrix& covariance, bool lowest, std::uint64_t seed);

}  // namespace acuity
