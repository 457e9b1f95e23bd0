#include "upkeep/campaign_copy.hpp"

#include <fmt/format.h>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "acuity/data/table.hpp"
#include "acuity/store/open_event_store.hpp"
#include "campaign/campaign_folder.hpp"
#include "campaign/verification.hpp"
#include "store/crash_point.hpp"
#include "store/kept_files.hpp"
#include "store/owner.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

void require_no_owner(const Campaign& campaign) {
  const State& state = campaign.state();
  if (state.owner().host.empty()) return;
  const std::unique_ptr<EventStore> store = open_event_store(campaign.address(), Access::read);
  const bool is_owned =
      store->has_tenure() ? store->try_own() == nullptr : may_be_alive(state.owner(), campaign.now());
  if (is_owned)
    throw OwnedError(owned_sentence(campaign.address(), state.owner(), state.owner_since(),
                                    state.owner_seen(), campaign.now(), store->has_tenure()));
}

// A change of the study that was cut off has its files beside the old ones.
FilesByName files_of(const Campaign& campaign) {
  FilesByName files = files_in(campaign.copies());
  const FrozenFiles frozen = frozen_files(campaign.copies(), campaign.state(), false);
  files["study.toml"] = read_regular_file(frozen.study);
  files[campaign.state().created().pool_file] = read_regular_file(frozen.pool);
  for (const auto& [name, file] : frozen.tables) files[name] = read_regular_file(file);
  return files;
}

void require_equal(const CampaignAddress& copy, const std::vector<StoredEvent>& events) {
  const Verification found = verify_campaign(copy);
  if (found.problem_count > 0) throw DamagedError(found.problems.front());
  const std::vector<StoredEvent> copied = open_event_store(copy, Access::read)->read(0);
  const bool equal = std::equal(copied.begin(), copied.end(), events.begin(), events.end(),
                                [](const StoredEvent& a, const StoredEvent& b) {
                                  return a.sequence == b.sequence && a.time == b.time &&
                                         event_name(a.event) == event_name(b.event) &&
                                         to_json(a.event) == to_json(b.event);
                                });
  if (!equal) throw DamagedError(fmt::format("{}: its events are not those that were copied", copy.text()));
}

}  // namespace

CopiedCampaign copy_campaign(const CampaignAddress& from, const CampaignAddress& to) {
  if (to.is_in_database() ? has_event_store(to) : fs::exists(fs::symlink_status(to.folder())))
    throw InputError(fmt::format("{}: it already exists, must be a new campaign", to.text()));
  const Campaign campaign = Campaign::open(from, Access::read);
  require_no_owner(campaign);
  std::vector<StoredEvent> events = campaign.events();
  events.resize(std::min(events.size(), static_cast<std::size_t>(campaign.state().sequence())));
  const FilesByName files = files_of(campaign);
  const CopiedCampaign copied{static_cast<std::int64_t>(events.size()),
                              static_cast<std::int64_t>(files.size())};
  if (to.is_in_database()) {
    create_event_store(to, events, with_list(files));
    require_equal(to, events);
    return copied;
  }
  const bool has_command = campaign.study().file().annotator.kind == AnnotatorSetting::Kind::command;
  make_folder(to.folder(), has_command, [&](const fs::path& aside) {
    for (const auto& [name, content] : files) {
      write_file(aside / name, content);
      crash_point();
    }
    fs::create_directory(aside / "runs");
    create_event_store(aside, events);
    require_equal(aside, events);
  });
  return copied;
}

}  // namespace acuity
