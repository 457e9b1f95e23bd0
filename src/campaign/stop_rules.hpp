#pragma once

#include <string>

#include "acuity/campaign/state.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/selection/candidates.hpp"
#include "acuity/study/study.hpp"

// The rules of [stop], which end a campaign before its budget is spent (docs/study-file.md).

namespace acuity {

/// Whether the time of the campaign is over. `now`: seconds since 1970.
bool wall_clock_is_over(const Study& study, const State& state, double now);

/// Why the campaign ends if `best` is the best candidate; empty if it goes on.
std::string target_reached(const Study& study, PoolBelief& belief, const Score& best);

}  // namespace acuity
