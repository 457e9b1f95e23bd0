#pragma once

#include <vector>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// A campaign's events as they would have been on part of its pool, `rows`: answers at other points are told
/// by their inputs. Whatever is pending comes back unanswered, and nobody owns the campaign.
std::vector<Event> replay_on_subset(const Campaign& campaign, const std::vector<Index>& rows);

/// The same of a campaign that would begin now with what the study knows (campaign.initial), hyperparameters
/// learned where its schedule asks for it. Throws InputError.
std::vector<Event> initial_events_on_subset(const Study& study, const std::vector<Index>& rows);

/// What they add up to.
State state_of(const std::vector<Event>& events);

}  // namespace acuity
