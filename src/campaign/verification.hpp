#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "acuity/campaign/sqlite_event_store.hpp"

namespace acuity {

/// The parts of a campaign's folder that were checked, and the problems found.
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

/// Throws InputError unless the folder looks like a campaign.
void require_campaign(const std::filesystem::path& folder);

/// Checks everything in a campaign's folder: the log file, its checksums, every event by the rules, and the
/// frozen copies. Writes nothing. Throws InputError if the folder is not a campaign.
Verification verify_campaign(const std::filesystem::path& folder);

/// The events of a possibly damaged log before the first one that breaks a rule.
std::vector<StoredEvent> intact_events(const std::filesystem::path& folder);

}  // namespace acuity
