#pragma once

#include <cstdint>

#include "acuity/base/public.hpp"
#include "acuity/data/points.hpp"

namespace acuity ACUITY_PUBLIC {

/// An answer whose run may be continued: more of the same samples give the answer of a finer level, which
/// replaces it.
struct HeldAnswer {
  std::int64_t id = 0;  ///< of its suggestion
  Index point = 0;
  Index level = 0;
  double noise_variance = 0.0;  ///< in all
};

/// A run that is continued to the answer of a finer level, at the difference of the prices.
struct TopUp {
  std::int64_t from = 0;  ///< the suggestion whose answer is replaced
  Index point = 0;
  Index level = 0;  ///< that is reached
  /// Of an independent answer that tells as much: noise_of_continuation().
  double noise_variance = 0.0;
  double cost = 0.0;
  double reserve = 0.0;  ///< what must be left of the budget; at least the cost
};

/// The noise variance of an independent answer that tells as much as an answer of variance `after` in place
/// of one of variance `before` that is part of it (docs/math.md eq. (17.7)). Infinite unless `after` is less.
double noise_of_continuation(double before, double after);

/// The value of that independent answer: with it and `value_before` the belief is that after `value_after`.
double value_of_continuation(double before, double value_before, double after, double value_after);

}  // namespace acuity ACUITY_PUBLIC
