#include "upkeep/campaign_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "campaign/campaign_folder.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

std::int64_t bytes_of(const fs::path& file) {
  std::error_code none;
  const std::uintmax_t bytes = fs::file_size(file, none);
  return none ? 0 : static_cast<std::int64_t>(bytes);
}

ListedCampaign listed(const fs::path& folder) {
  ListedCampaign campaign{folder, {.name = folder.filename().string()}, ""};
  for (const char* name : {"events.sqlite", "events.sqlite-wal"})
    campaign.listing.bytes += bytes_of(folder / name);
  for (const char* name : names_of_copies) campaign.listing.bytes += bytes_of(folder / name);
  try {
    require_no_pipes(folder);
    const std::vector<StoredEvent> events = open_event_store(folder, Access::read)->read(0);
    campaign.listing.events = static_cast<std::int64_t>(events.size());
    if (events.empty()) return campaign;
    campaign.listing.last_time = events.back().time;
    campaign.listing.last_event = event_name(events.back().event);
  } catch (const InputError& error) {
    campaign.problem = error.what();
  } catch (const StoreError& error) {
    campaign.problem = error.what();
  }
  return campaign;
}

}  // namespace

std::vector<ListedCampaign> campaigns_in(const DatabaseAddress& database) {
  std::vector<ListedCampaign> campaigns;
  for (CampaignListing& listing : list_campaigns(database)) {
    CampaignAddress address(database, listing.name);
    campaigns.push_back({std::move(address), std::move(listing), ""});
  }
  return campaigns;
}

std::vector<ListedCampaign> campaigns_in(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw InputError(
        fmt::format("{}: it is not a folder, must be one with campaigns, or postgresql://host/database",
                    folder.string()));
  if (Campaign::recognises(folder)) return {listed(folder)};
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (Campaign::recognises(entry.path())) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  std::vector<ListedCampaign> campaigns;
  for (const fs::path& one : folders) campaigns.push_back(listed(one));
  return campaigns;
}

}  // namespace acuity
