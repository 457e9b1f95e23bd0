#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace acuity::testing {

/// An event as it stands in the file of a log, whatever it says.
struct RawEvent {
  double time = 0.0;
  std::string name, body;
};

/// What stands in the log of a campaign, behind the store's back.
std::vector<RawEvent> raw_events(const std::filesystem::path& log);

/// Makes these the whole log, with checksums as if acuity had written them.
void forge_log(const std::filesystem::path& log, const std::vector<RawEvent>& events);

/// Any statement on the file of a log.
void change_log(const std::filesystem::path& log, const std::string& statement);

}  // namespace acuity::testing
