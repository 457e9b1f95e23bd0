#pragma once

#include <variant>

namespace acuity {

/// The answer is f(x) plus normal noise of this variance.
struct GaussianChannel {
  double noise_variance = 0.0;

  friend bool operator==(const GaussianChannel&, const GaussianChannel&) = default;
};

/// The answer is the class, right with this probability.
struct FlipChannel {
  double accuracy = 1.0;

  friend bool operator==(const FlipChannel&, const FlipChannel&) = default;
};

/// What happens to the truth on its way to us. A study's laws (sigma^2, gamma, kappa, price lists, reported
/// noise) are resolved to channels early; from model/ on nobody asks where they came from.
using Channel = std::variant<GaussianChannel, FlipChannel>;

}  // namespace acuity
