#pragma once

#include "acuity/data/channel.hpp"

namespace acuity {

/// One flipped-label likelihood c Phi(y f) + 1 - omega times a normal cavity (math.md 3.2): what it weighs,
/// its moments, and the site that turns the cavity into a normal of the same moments.
struct TiltedMoments {
  double z = 0.0;           ///< y mu / sqrt(1 + v)
  double log_weight = 0.0;  ///< log of the integral
  double slope = 0.0;       ///< of log_weight in the cavity mean
  double curvature = 0.0;   ///< minus its second derivative
  double mean = 0.0, variance = 0.0;
  double site_precision = 0.0;  ///< negative where the label contradicts its cavity (math.md 3.4)
  double site_shift = 0.0;      ///< precision times mean
  double accuracy_slope = 0.0;  ///< of log_weight in omega
};

/// label: -1 or +1; accuracy: the probability that it was not flipped.
TiltedMoments tilted_moments(int label, double cavity_mean, double cavity_variance, double accuracy);

/// How much a label that is still to come is expected to lower a variance, per squared covariance with its
/// point, where f has this mean and variance (math.md eq. (7.2)).
double expected_reduction(double mean, double variance, const FlipChannel& channel);

}  // namespace acuity
