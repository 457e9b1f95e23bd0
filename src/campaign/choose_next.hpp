#pragma once

#include "acuity/campaign/campaign.hpp"
#include "campaign/campaign_belief.hpp"

namespace acuity {

/// How many answers of the initial design are neither there nor pending; 0 or less: it is complete. Answers
/// of an earlier campaign are no part of it.
std::int64_t missing_of_design(const Study& study, const State& state);
/// True if points of the initial design are still to be asked for.
bool in_initial_phase(const Study& study, const State& state);

/// Chooses up to `options.count` suggestions, each the best given those before it (with a capacity: jointly),
/// and conditions the belief on them. If there are fewer, the result has the reason. `now` is used by the
/// stop rules. Worker, level and capacity of the options restrict what may be chosen; its budget and lease
/// are not used. Points that failed and have no answer since wait until nothing else is left; those of
/// `options.avoid` are not chosen at all. Throws InputError if the study has no such level.
AskResult choose_next(const Study& study, const State& state, CampaignBelief& belief,
                      const AskOptions& options, double now);

}  // namespace acuity
