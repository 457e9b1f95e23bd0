#include <fmt/format.h>

#include <limits>
#include <utility>

#include "acuity/base/errors.hpp"
#include "base/checksum.hpp"
#include "base/clock.hpp"
#include "campaign/campaign_parts.hpp"
#include "campaign/initial_events.hpp"
#include "campaign/verification.hpp"
#include "store/crash_point.hpp"
#include "store/kept_files.hpp"
#include "store/leader_event_store.hpp"
#include "store/unfinished_folder.hpp"
#include "study/study_cache.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

// The error message for a damaged log, with the number of events that can be saved.
std::string damage_sentence(const CampaignAddress& address, std::string sentence) {
  const std::string log = log_name(address);
  if (!sentence.starts_with(log))
    sentence = fmt::format("{}: it is damaged ({}); nothing was written to it", log, sentence);
  const std::size_t intact = intact_events(address).size();
  if (intact == 0) return sentence + "; none of its events can be read";
  return fmt::format("{}; its first {} {} intact, to save them: acuity export {} --events F", sentence,
                     intact, intact == 1 ? "event is" : "events are", address.argument());
}

// The error message for a log of a newer version, which can still read it.
std::string newer_sentence(const CampaignAddress& address, const std::string& sentence) {
  const std::vector<StoredEvent> events = intact_events(address);
  const auto* created = events.empty() ? nullptr : std::get_if<Created>(&events.front().event);
  return created == nullptr ? sentence
                            : fmt::format("{}; the campaign was created by acuity {}", sentence,
                                          printable(created->version, 40));
}

// Calls read() and completes the message if the log is damaged or of a newer version.
template <typename Read>
void with_damage_report(const CampaignAddress& address, const Read& read) {
  try {
    read();
  } catch (const NewerVersionError& error) {
    throw NewerVersionError(newer_sentence(address, error.what()));
  } catch (const DamagedError& error) {
    throw DamagedError(damage_sentence(address, error.what()));
  }
}

void require_replayable_log(const std::vector<Event>& events, const Study& study) {
  std::vector<StoredEvent> stored;
  for (const Event& event : events)
    stored.push_back({static_cast<std::int64_t>(stored.size()) + 1, now(), event});
  try {
    replay(stored, EventRules(study));
  } catch (const DamagedError& error) {
    study.file().complain(std::string("no campaign can be started with it: ") + error.what());
  }
}

// Messages about a changed study compare it with the text in the log.
void require_own_checksum(const Created& created) {
  if (base::checksum(created.study) != created.study_checksum)
    throw DamagedError("event 1 of the log has a study that does not match its checksum");
}

// Writes the copies of study, pool and tables, and returns the first events of the campaign.
std::vector<Event> begin_with_copies(const Study& original, const FrozenStudy& frozen,
                                     const fs::path& aside) {
  for (const FrozenStudy::Copy& copy : frozen.copies) {
    std::error_code failed;
    fs::copy_file(copy.from, aside / copy.name, failed);
    if (failed)
      throw InputError(fmt::format("{}: cannot be copied ({})", copy.from.string(), failed.message()));
    crash_point();
  }
  for (const auto& [name, text] : frozen.tables) {
    write_file(aside / name, text);
    crash_point();
  }
  write_file(aside / "study.toml", frozen.text);
  crash_point();
  // Initial answers are read from the original file, so that error messages name that one.
  std::vector<Event> events =
      initial_events(original, created_with(original.file(), frozen, aside / frozen.pool_file));
  require_replayable_log(events, original);
  return events;
}

// What was read of the original is what would be read of the copy.
void keep_pool_of(const Study& original, const Created& created, const fs::path& copy) {
  StudyFile frozen = original.file();
  frozen.text = created.study;
  frozen.is_frozen = true;
  frozen.pool_file = copy;
  const PointValues& noise = original.offer().base_noise;
  keep_pool(frozen, original.pool(), noise.is_constant() ? Vector() : noise.all());
}

void create_folder(const fs::path& folder, const Study& original, const FrozenStudy& frozen) {
  const bool has_command = original.file().annotator.kind == AnnotatorSetting::Kind::command;
  make_folder(folder, has_command, [&](const fs::path& aside) {
    fs::create_directory(aside / "runs");
    crash_point();
    const std::vector<Event> events = begin_with_copies(original, frozen, aside);
    keep_pool_of(original, std::get<Created>(events.front()), aside / frozen.pool_file);
    create_event_store(aside, events);
  });
}

void create_in_database(const CampaignAddress& address, const Study& original, const FrozenStudy& frozen) {
  if (has_event_store(address))
    throw InputError(fmt::format("{}: it already exists, must be a new campaign", address.text()));
  const UnfinishedFolder aside(make_folder_of_local_copies() / "new");
  const std::vector<Event> events = begin_with_copies(original, frozen, aside.path());
  create_event_store(address, events, with_list(files_in(aside.path())));
}

}  // namespace

void Campaign::create(const CampaignAddress& address, const fs::path& study_file) {
  create(address, Study::open(study_file));
}

void Campaign::create(const CampaignAddress& address, const Study& original) {
  // The study is checked completely before anything is created.
  const FrozenStudy frozen = freeze(original);
  require_input_names(original);
  require_annotator(original);
  if (address.is_in_database())
    create_in_database(address, original, frozen);
  else
    create_folder(address.folder(), original, frozen);
}

bool Campaign::recognises(const CampaignAddress& address) {
  if (address.is_in_database()) return has_event_store(address);
  const fs::path& folder = address.folder();
  return fs::is_directory(folder) && (fs::exists(folder / "events.sqlite") ||
                                      (fs::exists(folder / "study.toml") && fs::exists(folder / "runs")));
}

Campaign Campaign::open(const CampaignAddress& address, Access access, CampaignOptions options,
                        const Job& job) {
  job.on_leader([&] {
    if (!address.is_in_database()) require_campaign(address);
    if (address.is_folder() && access == Access::write) remove_mark(address.folder());
  });
  std::unique_ptr<EventStore> store;
  std::vector<StoredEvent> events;
  State state;
  with_damage_report(address, [&] {
    store = open_shared_event_store(job, address, access);
    events = store->read(0);
    for (const StoredEvent& stored : events) state.apply(stored);
    if (state.sequence() == 0) throw DamagedError("it is empty, must begin with \"created\"");
    require_own_checksum(state.created());
  });
  fs::path copies = address.folder();
  FrozenFiles files;
  for (int attempt = 0;; ++attempt) {
    try {
      if (store->keeps_files()) copies = copies_of_kept_files(address, job);
      files = frozen_files_of(job, copies, state, access == Access::write && !store->keeps_files());
      break;
    } catch (const DifferentStudyError&) {
      // Perhaps the study was changed after the log was read.
      const std::vector<StoredEvent> more = store->read(state.sequence());
      if (more.empty() || attempt == 3) throw;
      with_damage_report(address, [&] {
        for (const StoredEvent& stored : more) state.apply(stored);
      });
      events.insert(events.end(), more.begin(), more.end());
    }
  }
  Study study = open_frozen(files, state.created(), options, job);
  with_damage_report(address, [&] { state = replay(events, EventRules(study, changes_in(events))); });
  Campaign campaign(std::move(study), std::move(store), std::move(options), job, std::move(state));
  campaign.parts_->address = address;
  campaign.parts_->copies = std::move(copies);
  return campaign;
}

Campaign::Campaign(Study study, std::unique_ptr<EventStore> store, CampaignOptions options, const Job& job,
                   State state)
    : parts_(std::make_unique<Parts>(std::move(study), std::move(store), std::move(options), job)) {
  parts_->state = std::move(state);
  parts_->rules.emplace(parts_->study, parts_->state.changes().size());
}

Campaign::Campaign(Study study, std::unique_ptr<EventStore> store, CampaignOptions options, const Job& job)
    : Campaign(std::move(study), std::move(store), std::move(options), job, State()) {
  Parts& p = *parts_;
  p.add([&]() -> std::vector<Event> {
    if (p.state.sequence() > 0) return {};
    Created created;
    created.version = ACUITY_VERSION;
    created.name = p.study.file().name;
    created.unit = p.study.file().unit;
    created.budget = p.study.file().budget.value_or(std::numeric_limits<double>::infinity());
    return initial_events(p.study, created);
  });
}

}  // namespace acuity
