#pragma once

#include <algorithm>

#include "acuity/model/marginals.hpp"

namespace acuity {

/// The variance of an answer with this bias at a point, without its noise: V of math.md eq. (13.1).
inline double answer_variance(const Marginals& belief, Index point, int bias) {
  const double variance = belief.variance(point);
  if (bias == 0) return variance;
  const LevelError& error = belief.errors.at(static_cast<std::size_t>(bias - 1));
  return std::max(variance + 2.0 * error.covariance(point) + error.variance(point), 0.0);
}

}  // namespace acuity
