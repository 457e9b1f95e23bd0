#pragma once

#include "acuity/acquisition/classification_information.hpp"

namespace acuity {

// What the formulas of math.md 4.2 are made of.

/// A belief with its mean turned to 0 or below, which changes no information. The small tail is then that of
/// +1, and differences of Phi can be formed from small tails.
struct TurnedBelief {
  double mean, variance, eta;
  ClassProbabilities clean;

  /// Throws std::invalid_argument where the belief is none.
  explicit TurnedBelief(const LatentMarginal& latent);
  /// Every information is at most about the entropy of the class, which is then nothing.
  bool settled() const;
};

inline double gain_of(double accuracy) {
  return 2.0 * accuracy - 1.0;
}

/// Of the answer of a symmetric channel.
ClassProbabilities through(double accuracy, const ClassProbabilities& input);

/// What that answer tells about the channel's input, in bits.
double channel_information(double gain, const ClassProbabilities& input, const ClassProbabilities& answer);

}  // namespace acuity
