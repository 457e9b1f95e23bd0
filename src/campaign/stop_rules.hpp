#pragma once

#include <string>

#include "acuity/campaign/campaign.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/selection/candidates.hpp"
#include "acuity/study/study.hpp"

// The rules of [stop], which end a campaign before its budget is spent, and campaign.max_cost
// (docs/study-file.md).

namespace acuity {

/// Whether the time of the campaign is over. `now`: seconds since 1970.
bool wall_clock_is_over(const Study& study, const State& state, double now);

/// Why the campaign ends if `best` is the best candidate; empty if it goes on.
std::string target_reached(const Study& study, PoolBelief& belief, const Score& best);

/// The same by the rules that look at the answers so far, not at what is pending or at a candidate: the
/// typical error, and what is known of a contour or of the best point.
std::string reached_by_answers(const Study& study, const State& state);

/// Why the next answer is not asked for without a yes, because it is expected to cost more than
/// AskOptions::max_cost or StudyFile::max_cost; empty if it is. `is_drawn`: it belongs to the initial design.
std::string too_costly(const Study& study, const State& state, const StudyModel& model,
                       const AskOptions& options, const Score& next, bool is_drawn);

}  // namespace acuity
