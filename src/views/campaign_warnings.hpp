#pragma once

#include "views/campaign_data.hpp"

namespace acuity {

/// What somebody who spends money on this should know, in whole sentences. Everything else is filled in
/// already.
void add_warnings(const Campaign& campaign, CampaignData& data);

}  // namespace acuity
