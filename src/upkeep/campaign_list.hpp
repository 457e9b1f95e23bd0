#pragma once

#include <filesystem>

#include "acuity/store/open_event_store.hpp"

namespace acuity {

/// A campaign of a folder or a database, as far as can be said without opening it.
struct ListedCampaign {
  CampaignAddress address;
  CampaignListing listing;
  std::string problem;  ///< one sentence if its log cannot be read, otherwise empty
};

/// The campaigns of a database, by name.
std::vector<ListedCampaign> campaigns_in(const DatabaseAddress& database);
/// The campaigns in a folder, by name: it and the folders in it. Throws InputError if it is not a folder.
std::vector<ListedCampaign> campaigns_in(const std::filesystem::path& folder);

}  // namespace acuity
