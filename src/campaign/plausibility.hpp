#pragma once

#include <optional>
#include <vector>

#include "campaign/answer_check.hpp"

// Answers before anything was predicted: judged by the other answers (docs/math.md 22.4).

namespace acuity {

/// By how many standard deviations of a normal distribution `value` is as unlikely as it is beside `others`,
/// which have an unknown mean and variance; `noise` is the least variance. Empty with fewer than three.
std::optional<double> deviation_from(const std::vector<double>& others, double value, double noise);

/// Sets the surprise of answers of which none was expected, from all answers in `state` and among `checked`,
/// which are told together. Classes and answers at another point get none.
void compare_with_others(const Study& study, const State& state, std::vector<CheckedAnswer>& checked);

}  // namespace acuity
