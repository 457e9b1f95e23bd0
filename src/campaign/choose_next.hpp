#pragma once

#include "acuity/campaign/campaign.hpp"
#include "campaign/campaign_belief.hpp"

namespace acuity {

/// True if points of the initial design are still to be asked for.
bool in_initial_phase(const Study& study, const State& state);

/// Chooses up to `count` suggestions, each the best given those before it, and conditions the belief on them.
/// If there are fewer, the result has the reason. `now` is used by the stop rules. Points that failed and
/// have no answer since wait until nothing else is left; those of `avoid` are not chosen at all.
AskResult choose_next(const Study& study, const State& state, CampaignBelief& belief, std::int64_t count,
                      double now, const std::vector<Index>& avoid = {});

}  // namespace acuity
