#pragma once

namespace acuity {

/// For tests that a campaign survives a crash anywhere: with ACUITY_CRASH_AT=k in the environment, the k-th
/// call (counted from 1) ends the process immediately.
void crash_point();

}  // namespace acuity
