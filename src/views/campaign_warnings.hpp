#pragma once

#include "views/campaign_data.hpp"

namespace acuity {

/// Warnings about a campaign, one sentence each. All other parts of `data` must be complete.
std::vector<std::string> campaign_warnings(const Campaign& campaign, const CampaignData& data);

}  // namespace acuity
