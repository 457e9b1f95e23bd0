#pragma once

#include <limits>
#include <optional>

#include "acuity/base/public.hpp"
#include "acuity/data/channel.hpp"

namespace acuity ACUITY_PUBLIC {

/// A precision and its inverse. Either may be 0: infinite precision of a number, or the lowest precision of a
/// class. Both are stored so that neither is rounded.
struct Precision {
  double alpha = std::numeric_limits<double>::infinity();
  double inverse = 0.0;

  static Precision of(double alpha) { return {alpha, 1.0 / alpha}; }
  static Precision of_inverse(double inverse) { return {1.0 / inverse, inverse}; }
};

/// How precision affects an answer: noise of variance gamma / alpha in addition to sigma^2(x); for classes, a
/// probability kappa + gamma * alpha of being right.
struct PrecisionLaw {
  double gamma = 0.0;
  std::optional<double> kappa;  ///< classes only

  /// Gaussian: without the point's own noise. Flip: rounding above 1 counts as 1.
  Channel operator()(const Precision& precision) const;
};

}  // namespace acuity ACUITY_PUBLIC
