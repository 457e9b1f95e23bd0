#include "campaign/look_ahead.hpp"

#include <algorithm>

#include "campaign/memory_event_store.hpp"

namespace acuity {

LookAhead look_ahead(const Campaign& campaign, const CampaignOptions& options) {
  CampaignOptions quiet = options;
  quiet.watch = {};
  Campaign copy(campaign.study().variant({}), make_memory_event_store(campaign.events()), quiet);
  AskResult next = copy.ask();
  std::vector<StoredEvent> before = copy.events();
  if (!next.suggestions.empty()) before.pop_back();
  return {Campaign(campaign.study().variant({}), make_memory_event_store(std::move(before)), quiet),
          std::move(next)};
}

}  // namespace acuity
