#pragma once

#include <vector>

#include "model/person_accuracy.hpp"

namespace acuity {

/// The answers of one person, and what is known of their items otherwise.
struct CoinEvidence {
  AccuracyGuess yes, no;         ///< what is known of somebody who looks at the items
  std::vector<double> answers;   ///< -1 or +1
  std::vector<double> positive;  ///< the probability that the item is of the class +1, without this answer
};

/// Whether somebody answers without looking: says +1 with one frequency, whatever the class.
struct CoinProbability {
  double probability = 0.0;
  double positive = 0.5;  ///< that frequency
};

/// From the evidence of both explanations (docs/math.md eq. (15.14)).
CoinProbability coin_probability(const CoinEvidence& evidence);

}  // namespace acuity
