#pragma once

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

/// The upper limit of a cost, a charge, a budget and the sum of all charges, in the unit of the study.
/// Doubles count whole numbers exactly up to 2^53, about 9e15, so sums of whole amounts below this bound are
/// exact, budget minus spending cannot overflow, and an increased budget is never mistaken for no limit.
inline constexpr double largest_amount = 1e15;
/// The limit as messages show it.
inline constexpr char largest_amount_text[] = "1e15";

}  // namespace acuity ACUITY_PUBLIC
