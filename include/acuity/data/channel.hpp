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

/// The answer is the class. It is right with a probability that may depend on the class (docs/math.md 15.3).
struct FlipChannel {
  double yes = 1.0;  ///< the probability of the answer +1 where the class is +1
  double no = 1.0;   ///< of the answer -1 where it is -1; the sum of both is 1 or more

  FlipChannel() = default;
  FlipChannel(double accuracy) : yes(accuracy), no(accuracy) {}
  FlipChannel(double of_yes, double of_no) : yes(of_yes), no(of_no) {}

  bool is_symmetric() const { return yes == no; }
  /// Of being right where both classes are equally frequent.
  double accuracy() const { return 0.5 * (yes + no); }
  /// How much likelier the answer +1 is where the class is +1.
  double gain() const { return yes + no - 1.0; }
  /// Of the answer +1 where the class is +1 with this probability.
  double positive(double clean) const { return yes * clean + (1.0 - no) * (1.0 - clean); }
  /// Of an answer, given the class.
  double given(double answer, double clean) const {
    const double right = clean > 0.0 ? yes : no;
    return (answer > 0.0) == (clean > 0.0) ? right : 1.0 - right;
  }
  /// An answer whose accuracy is this one for both classes tells the same (docs/math.md eq. (15.9)).
  double accuracy_of(double answer) const {
    if (is_symmetric()) return yes;
    const double right = given(answer, answer), wrong = given(answer, -answer);
    return right + wrong > 0.0 ? right / (right + wrong) : 0.5;
  }

  friend bool operator==(const FlipChannel&, const FlipChannel&) = default;
};

/// How an answer depends on the truth. The laws of a study (sigma^2, gamma, kappa, price lists, reported
/// noise) are resolved to channels when annotations are read; model/ and later folders only see channels.
using Channel = std::variant<GaussianChannel, FlipChannel>;

}  // namespace acuity ACUITY_PUBLIC
