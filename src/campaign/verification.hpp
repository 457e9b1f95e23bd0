#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "acuity/campaign/sqlite_event_store.hpp"

namespace acuity {

/// What was looked at in a campaign's folder, and what is wrong with it.
struct Verification {
  struct Part {
    std::string name;  ///< log, events, study.toml, pool.csv, ...
    bool sound = true;
    std::string found;  ///< in words
  };
  std::vector<Part> parts;
  std::int64_t events = 0;
  /// One sentence each. No more than LogInspection::most_problems are kept, but all are counted.
  std::vector<std::string> problems;
  std::int64_t problem_count = 0;
  bool is_damaged = false;  ///< the log is
  bool differs = false;     ///< a frozen copy is not what it was
};

/// Throws InputError unless there is a folder that looks like a campaign.
void require_campaign(const std::filesystem::path& folder);

/// Looks at everything in a campaign's folder: the file of the log, its chain, every event by the rules, the
/// frozen copies. Writes nothing. Throws InputError if the folder is no campaign.
Verification verify_campaign(const std::filesystem::path& folder);

/// Of a log that may be damaged: the events before the first one that breaks a rule.
std::vector<StoredEvent> intact_events(const std::filesystem::path& folder);

}  // namespace acuity
