#pragma once

#include <optional>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// How much of f the intervals of 95 % contain, as far as models that take f to be smoother or rougher can
/// tell.
struct ExpectedCoverage {
  double share = 0.0;  ///< of f at points without an answer: expected inside
  /// How many times too small the standard deviation of f is; between the last two with 90 % probability.
  double factor = 1.0, low = 0.0, high = 0.0;
  /// Probabilities that intervals contain 88 to 99 % of f, and more than 97 %.
  double is_good = 0.0, is_wide = 0.0;
};

/// Kernels of three families are learned from the same answers and count by their likelihood. Functions are
/// drawn from each, and of each function the share inside the intervals of the campaign's model is counted.
///
/// Answers that are near their predictions do not say that intervals of f are right: noise hides it, and f
/// was asked for where it was uncertain. Which family explains the answers is a question about f everywhere.
/// No family knows of steps, of errors that answers share, or of a wrong idea of noise: intervals that are
/// too narrow for such reasons are not found here. Empty for classes, without learned hyperparameters, for
/// levels with bias, and with too few or too many answers to learn from at every look.
std::optional<ExpectedCoverage> expected_coverage(const Study& study, const State& state);

}  // namespace acuity
