#pragma once

namespace acuity {

/// The most that one cost, one charge, a budget and all charges together may be, in whatever unit. Doubles
/// count whole numbers exactly up to 2^53, about 9e15, so sums of whole amounts below this bound are exact, a
/// budget minus what was spent cannot overflow, and a budget that has grown is never mistaken for no limit.
inline constexpr double largest_amount = 1e15;
/// As sentences have it.
inline constexpr char largest_amount_text[] = "1e15";

}  // namespace acuity
