#pragma once

#include "views/campaign_data.hpp"
#include "views/level_groups.hpp"

namespace acuity {

/// Replays the log once: the error of the model after about twenty numbers of answers, money over time, fits,
/// and spending by the levels of `groups`.
CampaignCourse course_of(const Campaign& campaign, const std::optional<HeldOut>& test,
                         const LevelGroups& groups);

}  // namespace acuity
