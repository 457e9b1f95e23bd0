#pragma once

#include <limits>
#include <optional>

#include "acuity/data/channel.hpp"

namespace acuity {

/// A precision beside its inverse. Either may be 0, infinite precision of a number or the lowest precision of
/// a class, and the one in which a law is written keeps its digits.
struct Precision {
  double alpha = std::numeric_limits<double>::infinity();
  double inverse = 0.0;

  static Precision of(double alpha) { return {alpha, 1.0 / alpha}; }
  static Precision of_inverse(double inverse) { return {1.0 / inverse, inverse}; }
};

/// What a precision does to an answer: noise of variance gamma / alpha on top of sigma^2(x); for classes, a
/// probability kappa + gamma * alpha of being right.
struct PrecisionLaw {
  double gamma = 0.0;
  std::optional<double> kappa;  ///< classes only

  /// Gaussian: without the point's own noise. Flip: rounding above 1 counts as 1.
  Channel operator()(const Precision& precision) const;
};

}  // namespace acuity
