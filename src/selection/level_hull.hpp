#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "acuity/data/level.hpp"

namespace acuity {

/// A level that is no corner of the hull: its accuracy is between those of two corners.
struct InnerLevel {
  std::size_t left, right;  ///< places in LevelHull::corners
  double share;             ///< of `left` in the accuracy; the rest is of `right`
  double cost;
};

/// Levels of a class by accuracy and cost, as a lower convex hull: the straight line between neighbouring
/// corners is nowhere above a level between them, but for rounding.
struct LevelHull {
  std::vector<Index> corners;  ///< in the order in which the levels were given
  std::vector<InnerLevel> inside;

  /// Can a level that is no corner be tied with the best corner at a point, given what the corners are worth
  /// there? Information must be convex in the accuracy (math.md eq. (5.3)).
  bool inner_may_tie(const double* information, double best_value) const;
};

/// Of these levels of an offer; all are symmetric FlipChannels, and there is at least one.
/// Whether they are.
bool have_one_accuracy(const Offer& offer, std::span<const Index> levels);
LevelHull level_hull(const Offer& offer, std::span<const Index> levels);

}  // namespace acuity
