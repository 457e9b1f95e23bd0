#include "campaign/look_ahead.hpp"

#include <algorithm>

#include "campaign/first_rank.hpp"
#include "campaign/memory_event_store.hpp"
#include "campaign/ranks_event_store.hpp"

namespace acuity {

LookAhead look_ahead(const Campaign& campaign, const CampaignOptions& options) {
  CampaignOptions quiet = options;
  quiet.watch = {};
  const auto store_of = [&](std::vector<StoredEvent> events) {
    const bool is_first = is_first_rank(options.ranks.get());
    return share_event_store(options.ranks, is_first ? make_memory_event_store(std::move(events)) : nullptr);
  };
  Campaign copy(campaign.study().variant({}), store_of(campaign.events()), quiet);
  AskResult next = copy.ask();
  std::vector<StoredEvent> before = copy.events();
  if (!next.suggestions.empty()) before.pop_back();
  return {Campaign(campaign.study().variant({}), store_of(std::move(before)), quiet), std::move(next)};
}

}  // namespace acuity
