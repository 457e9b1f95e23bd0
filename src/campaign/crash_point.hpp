#pragma once

namespace acuity {

/// A place where the process may die: the k-th one passed, counted from 1, ends it without warning where the
/// environment says ACUITY_CRASH_AT=k. For tests that a campaign survives that anywhere.
void crash_point();

}  // namespace acuity
