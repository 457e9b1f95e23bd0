#pragma once

#include <cmath>

#include "acuity/acquisition/acquisition.hpp"

namespace acuity {

/// A value that is lower than the best by more than this share cannot tie with it, even if the two were
/// computed in different ways: the tie rule, and as much again for rounding.
constexpr double tie_slack = 2.0 * tie_tolerance;

/// A level that is beaten by this share at a corner of a box of beliefs ties nowhere in the box: the slack
/// on both sides of the comparison.
constexpr double tie_slack_of_two = 2.0 * tie_slack;

/// Every value from this one on may tie with the best.
inline double tie_cutoff(double best) {
  return best - tie_slack * std::abs(best);
}

}  // namespace acuity
