#pragma once

#include "views/campaign_data.hpp"
#include "views/level_groups.hpp"

namespace acuity {

enum class CourseErrors { measured, none };

/// Replays the log once and collects the error of the model at about twenty numbers of answers, spending over
/// time, fits, and spending by the levels of `groups`. Without the errors no model is computed.
CampaignCourse course_of(const Campaign& campaign, const std::optional<HeldOut>& test,
                         const LevelGroups& groups, CourseErrors errors = CourseErrors::measured);

}  // namespace acuity
