#pragma once

#include <map>

#include "report/campaign_data.hpp"

namespace acuity {

/// Plays the log again: fills in how good the model was at about twenty moments, where the money went, what
/// was learned, and gives what had been spent when each suggestion was told.
std::map<std::int64_t, double> follow_course(const Campaign& campaign, const std::optional<HeldOut>& test,
                                             CampaignData& data);

}  // namespace acuity
