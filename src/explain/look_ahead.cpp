#include "explain/look_ahead.hpp"

#include "campaign/campaign_internals.hpp"
#include "explain/replay_on_subset.hpp"
#include "store/leader_event_store.hpp"
#include "store/memory_event_store.hpp"

namespace acuity {

namespace {

Campaign copy_of(const Campaign& campaign, Study study, std::vector<StoredEvent> log,
                 CampaignOptions options) {
  options.watch = {};
  const Job& job = CampaignInternals::job(campaign);
  auto store = share_event_store(job, job.leads() ? make_memory_event_store(std::move(log)) : nullptr);
  return Campaign(std::move(study), std::move(store), std::move(options), job);
}

LookAhead look_ahead_in(Campaign copy) {
  AskResult next = CampaignInternals::would_ask(copy);
  return {std::move(copy), std::move(next)};
}

}  // namespace

LookAhead look_ahead(const Campaign& campaign, const CampaignOptions& options) {
  return look_ahead_in(copy_of(campaign, campaign.study().variant({}), campaign.events(), options));
}

Campaign copy_among(const Campaign& campaign, const std::vector<Index>& rows,
                    const CampaignOptions& options) {
  return copy_of(campaign, campaign.study().variant({.rows = rows}), log_on_subset(campaign, rows), options);
}

LookAhead look_ahead_among(const Campaign& campaign, const std::vector<Index>& rows,
                           const CampaignOptions& options) {
  return look_ahead_in(copy_among(campaign, rows, options));
}

}  // namespace acuity
