#pragma once

#include "acuity/campaign/campaign.hpp"
#include "campaign/campaign_belief.hpp"

namespace acuity {

/// Whether points of the initial design are still to be asked for.
bool in_initial_phase(const Study& study, const State& state);

/// Up to `count` suggestions, each the best given those before it; the belief is conditioned on them on the
/// way. Where fewer: why. `now` is for stop rules.
AskResult choose_next(const Study& study, const State& state, CampaignBelief& belief, std::int64_t count,
                      double now);

}  // namespace acuity
