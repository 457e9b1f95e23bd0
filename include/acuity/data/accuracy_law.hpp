#pragma once

#include <algorithm>

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

/// The paper's law for classes: an answer of precision alpha, from 0 to 1, is right with probability kappa +
/// gamma * alpha.
struct AccuracyLaw {
  double kappa = 1.0;
  double gamma = 0.0;

  /// Clamped to 1, because kappa + gamma may be rounded to slightly more.
  double operator()(double alpha) const { return std::min(1.0, kappa + gamma * alpha); }
};

}  // namespace acuity ACUITY_PUBLIC
