#pragma once

#include <string>
#include <vector>

#include "acuity/store/campaign_address.hpp"
#include "acuity/store/event_store.hpp"

namespace acuity {

/// The parts of a campaign that were checked, and the problems found.
struct Verification {
  struct Part {
    std::string name;  ///< log, events, study.toml, pool.csv, ...
    bool sound = true;
    std::string found;  ///< one sentence
  };
  std::vector<Part> parts;
  std::int64_t events = 0;
  /// One sentence each. At most LogInspection::most_problems are kept; problem_count counts all.
  std::vector<std::string> problems;
  std::int64_t problem_count = 0;
  bool is_damaged = false;  ///< the log is damaged
  bool differs = false;     ///< a frozen copy was changed
};

/// Throws InputError unless there is a campaign at the address.
void require_campaign(const CampaignAddress& address);

/// What sentences call the log: a file in the folder, or the address in a database.
std::string log_name(const CampaignAddress& address);

/// Checks everything of a campaign: its log, the checksums in it, every event by the rules, and the frozen
/// copies. Writes nothing to it. Throws InputError if there is no campaign.
Verification verify_campaign(const CampaignAddress& address);

/// The events of a possibly damaged log before the first one that breaks a rule.
std::vector<StoredEvent> intact_events(const CampaignAddress& address);

}  // namespace acuity
