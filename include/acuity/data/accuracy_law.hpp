#pragma once

#include <algorithm>

namespace acuity {

/// The paper's law for classes: an answer asked for at precision alpha, from 0 to 1, is right with
/// probability kappa + gamma * alpha.
struct AccuracyLaw {
  double kappa = 1.0;
  double gamma = 0.0;

  /// kappa + gamma may come out a hair above 1.
  double operator()(double alpha) const { return std::min(1.0, kappa + gamma * alpha); }
};

}  // namespace acuity
