#pragma once

#include <vector>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// A campaign's events as they would be with only `rows` of its pool: answers at other points become answers
/// outside the pool, given by their inputs. Pending suggestions are released, and there is no owner.
std::vector<Event> replay_on_subset(const Campaign& campaign, const std::vector<Index>& rows);

/// The log of a campaign as it would be with only `rows` of its pool, with its times and what is pending.
/// Every point that was asked about must be among the rows. There is no owner.
std::vector<StoredEvent> log_on_subset(const Campaign& campaign, const std::vector<Index>& rows);

/// The first events of a new campaign with only `rows` of the study's pool: the answers known before
/// (campaign.initial), and hyperparameters learned from them if the study's schedule requires it. Throws
/// InputError.
std::vector<Event> initial_events_on_subset(const Study& study, const std::vector<Index>& rows);

/// The state after these events.
State state_of(const std::vector<Event>& events);

}  // namespace acuity
