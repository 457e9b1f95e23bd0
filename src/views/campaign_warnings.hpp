#pragma once

#include "views/campaign_data.hpp"

namespace acuity {

/// What the owner of the campaign should know before spending more, one sentence each. All other parts of
/// `data` are complete.
std::vector<std::string> campaign_warnings(const Campaign& campaign, const CampaignData& data);

}  // namespace acuity
