#pragma once

#include <cstdint>

#include "acuity/store/campaign_address.hpp"

namespace acuity {

struct CopiedCampaign {
  std::int64_t events = 0, files = 0;
};

/// Copies a campaign to a new folder or database: its log with numbers, times and checksums as they are, its
/// study, pool and tables; completely or not at all. The folders of attempts (runs) stay where they are. The
/// copy is read back and compared. Throws InputError if there is something at `to` already, OwnedError if the
/// campaign is being run: the copy would miss what comes, and have its owner.
CopiedCampaign copy_campaign(const CampaignAddress& from, const CampaignAddress& to);

}  // namespace acuity
