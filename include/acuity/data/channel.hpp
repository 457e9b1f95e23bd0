#pragma once

#include <variant>

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

/// The answer is f(x) plus Gaussian noise of this variance, and the systematic error of its level, if that
/// has one.
struct GaussianChannel {
  double noise_variance = 0.0;
  int bias = 0;  ///< which of the biases of the prior its level has, counted from 1; 0: none

  friend bool operator==(const GaussianChannel&, const GaussianChannel&) = default;
};

/// The answer is the class, right with this probability.
struct FlipChannel {
  double accuracy = 1.0;

  friend bool operator==(const FlipChannel&, const FlipChannel&) = default;
};

/// How an answer depends on the truth. The laws of a study (sigma^2, gamma, kappa, price lists, reported
/// noise) are resolved to channels when annotations are read; model/ and later folders only see channels.
using Channel = std::variant<GaussianChannel, FlipChannel>;

}  // namespace acuity ACUITY_PUBLIC
