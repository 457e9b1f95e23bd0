#pragma once

#include "views/campaign_data.hpp"
#include "views/level_groups.hpp"

namespace acuity {

/// Replays the log once and collects the error of the model at about twenty numbers of answers, spending over
/// time, fits, and spending by the levels of `groups`.
CampaignCourse course_of(const Campaign& campaign, const std::optional<HeldOut>& test,
                         const LevelGroups& groups);

}  // namespace acuity
