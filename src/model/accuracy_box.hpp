#pragma once

#include "acuity/data/accuracy_law.hpp"
#include "acuity/data/points.hpp"

namespace acuity {

/// kappa and gamma as an optimiser may move them (math.md eq. (3.11)). What they may be is a triangle, 0.5 <=
/// kappa, 0 < gamma, kappa + gamma <= 1; two numbers between fixed bounds say the same: how far the best
/// labels are above a coin, and which share of that the worst ones have.
struct AccuracyBox {
  /// Labels hardly better than a coin tell nothing about the share, and a share of 1 would leave no gamma.
  static constexpr double least_gain = 1e-3, largest_gain = 1.0;
  static constexpr double least_share = 0.0, largest_share = 1.0 - 1e-6;

  double gain = 1.0;   ///< 2 (kappa + gamma) - 1
  double share = 0.0;  ///< (2 kappa - 1) / gain

  /// The nearest point of the box.
  static AccuracyBox of(const AccuracyLaw& law);
  AccuracyLaw law() const;

  /// A gradient in kappa and gamma as one in gain and share.
  Eigen::Vector2d gradient(double by_kappa, double by_gamma) const;
};

}  // namespace acuity
