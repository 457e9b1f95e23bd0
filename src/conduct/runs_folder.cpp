#include "conduct/runs_folder.hpp"

#include <fmt/format.h>

#include "acuity/base/errors.hpp"
#include "acuity/data/table.hpp"
#include "base/checksum.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

constexpr const char* note_name = "campaign.txt";

// The same wherever the campaign is and whatever it is called there.
std::string identity_of(const Campaign& campaign) {
  base::Checksum identity;
  identity.take(fmt::format("{:.17g}", campaign.state().created_at()));
  identity.take(campaign.state().created().version);
  return identity.text();
}

}  // namespace

fs::path runs_folder(const Campaign& campaign, const fs::path& given) {
  const CampaignAddress& address = campaign.address();
  if (address.is_folder()) {
    if (!given.empty())
      throw InputError(fmt::format("{}: --runs is given, must be left out: a campaign folder has its own",
                                   address.text()));
    return address.folder() / "runs";
  }
  const fs::path folder = fs::absolute(given.empty() ? fs::path(address.name() + ".runs") : given);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw InputError(
        fmt::format("{}: cannot be created ({}), must be a folder for the attempts of annotators",
                    folder.string(), failed.message()));
  const std::string identity = identity_of(campaign);
  if (fs::exists(folder / note_name)) {
    if (read_regular_file(folder / note_name).find(identity) == std::string::npos)
      throw InputError(
          fmt::format("{}: it has the attempts of another campaign ({}), must be another folder: --runs",
                      folder.string(), note_name));
    return folder;
  }
  write_file(folder / note_name, fmt::format("Attempts of annotators of {}\n{}\n", address.text(), identity));
  return folder;
}

}  // namespace acuity
