#pragma once

#include "acuity/acquisition/classification_information.hpp"

namespace acuity {

// Parts of the formulas of math.md 4.2.

/// A belief with its mean turned to 0 or below, which changes no information. The small tail is then that of
/// +1, and differences of Phi can be formed from small tails.
struct TurnedBelief {
  double mean, variance, eta;
  ClassProbabilities clean;

  /// Throws std::invalid_argument if mean or variance are invalid.
  explicit TurnedBelief(const LatentMarginal& latent);
  /// The class is as good as known: every information is 0.
  bool is_certain() const;
};

inline double gain_of(double accuracy) {
  return 2.0 * accuracy - 1.0;
}

/// Of the answer of a channel, a symmetric one or any.
ClassProbabilities through(double accuracy, const ClassProbabilities& input);
ClassProbabilities through(const FlipChannel& channel, const ClassProbabilities& input);

/// The most that an answer of this channel can tell, in bits (math.md eq. (15.11)).
double channel_capacity(const FlipChannel& channel);

/// The information of the answer about the channel's input, in bits.
double channel_information(double gain, const ClassProbabilities& input, const ClassProbabilities& answer);

}  // namespace acuity
