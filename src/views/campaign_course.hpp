#pragma once

#include <map>

#include "views/campaign_data.hpp"
#include "views/level_groups.hpp"

namespace acuity {

/// Plays the log again: fills in how good the model was at about twenty moments, where the money went, what
/// was learned, and gives what had been spent when each suggestion was told.
std::map<std::int64_t, double> follow_course(const Campaign& campaign, const std::optional<HeldOut>& test,
                                             CampaignData& data);

/// What the levels of `groups` had cost, answer by answer.
std::vector<SpendPoint> spending_of(const Campaign& campaign, const LevelGroups& groups);

}  // namespace acuity
