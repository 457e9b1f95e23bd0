#pragma once

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// What the next `ask` would do, without asking.
struct LookAhead {
  /// In memory: the log of the campaign and what `ask` would add before it chooses: the end of leases, what
  /// it would learn and plan.
  Campaign campaign;
  AskResult next;  ///< of one suggestion
};
LookAhead look_ahead(const Campaign& campaign, const CampaignOptions& options = {});

}  // namespace acuity
