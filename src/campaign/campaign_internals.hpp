#pragma once

#include "acuity/campaign/campaign.hpp"
#include "campaign/campaign_belief.hpp"

namespace acuity {

/// What the project's own views need of a campaign besides its interface.
struct CampaignInternals {
  /// The belief that `ask` uses; it may have to follow() the state first.
  static CampaignBelief& belief(Campaign& campaign);
  /// Does all that `ask` does before it chooses (ends leases, learns and plans what is due), and returns what
  /// it would choose. The choice is not recorded, and the belief is the one before it.
  static AskResult would_ask(Campaign& campaign);
  /// The processes that have the campaign open as one.
  static const Job& job(const Campaign& campaign);
};

}  // namespace acuity
