#pragma once

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// What the next `ask` would do, without asking.
struct LookAhead {
  /// In memory: the log of the campaign and what `ask` would add before it chooses: the end of leases, what
  /// it would learn and plan. Its belief (CampaignInternals) is there already.
  Campaign campaign;
  AskResult next;  ///< of one suggestion
};
LookAhead look_ahead(const Campaign& campaign, const CampaignOptions& options = {});
/// A copy in memory with only these rows of the pool; every point that was asked about must be among them.
/// Its rows are those of the smaller pool, ids are those of the campaign's.
Campaign copy_among(const Campaign& campaign, const std::vector<Index>& rows,
                    const CampaignOptions& options = {});
/// The same as look_ahead() with only these rows of the pool to choose from; every point that was asked about
/// must be among them. Rows of the result are those of the smaller pool, ids are those of the campaign's.
LookAhead look_ahead_among(const Campaign& campaign, const std::vector<Index>& rows,
                           const CampaignOptions& options = {});

}  // namespace acuity
