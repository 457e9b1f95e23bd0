#pragma once

#include "acuity/data/points.hpp"

namespace acuity {

/// Of an answer at a point and a goal with points m: c_m^2 / (V_m + m_m) of docs/math.md eq. (13.2), which
/// over V + n is the share of the variance of an answer there that the answer explains.
struct GoalShares {
  double mean = 0.0;     ///< by weight
  double squares = 0.0;  ///< the mean of their squares, by weight
  double largest = 0.0;
};

/// GoalCovariances that have them for all points at much less cost than by at(), may derive from this, too.
class HasGoalShares {
 public:
  virtual ~HasGoalShares() = default;
  /// out[i - begin] for the points begin <= i < end; `bias` as in GoalCovariances::at.
  virtual void shares(Index begin, Index end, int bias, GoalShares* out) const = 0;
};

}  // namespace acuity
