#include "campaign/verification.hpp"

#include <fmt/format.h>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "acuity/data/pool_file.hpp"
#include "acuity/data/table.hpp"
#include "base/checksum.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "campaign/campaign_folder.hpp"
#include "campaign/event_rules.hpp"
#include "store/kept_files.hpp"
#include "text/duration.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

class Verifier {
 public:
  explicit Verifier(const CampaignAddress& address) : address_(address), folder_(address.folder()) {}

  Verification verify() {
    look_at_log();
    if (has_created() && has_copies()) {
      const Created& created = latest_.created();
      if (base::checksum(created.study) != created.study_checksum)
        complain_of_log("event 1 has a study that does not match its checksum");
      look_at_copies(created);
      look_at_study(created);
    }
    if (log_.is_log) look_at_events();
    return std::move(result_);
  }

 private:
  void complain(std::string sentence, bool of_a_copy = false) {
    (of_a_copy ? result_.differs : result_.is_damaged) = true;
    ++result_.problem_count;
    if (result_.problems.size() < LogInspection::most_problems)
      result_.problems.push_back(std::move(sentence));
  }
  void complain_of_log(const std::string& sentence) { complain(log_name(address_) + ": " + sentence); }

  // Adds a part with what `look` returns; it is sound if `look` reports no problem.
  template <typename Look>
  void part(const std::string& name, const Look& look) {
    const std::int64_t before = result_.problem_count;
    std::string found = look();
    const std::int64_t more = result_.problem_count - before;
    result_.parts.push_back({name, more == 0, more == 0 ? std::move(found) : counted(more, "problem")});
  }

  void look_at_log() {
    part("log", [&] {
      log_ = inspect_log(address_);
      for (std::string& problem : log_.problems) complain(std::move(problem));
      result_.problem_count = log_.problem_count;
      result_.events = log_.count;
      if (log_.count == 0 && log_.problem_count == 0)
        complain_of_log("it is empty, must begin with \"created\"");
      return fmt::format("{}, the chain of checksums is unbroken", counted(log_.count, "event"));
    });
  }

  // The study as last changed, as far as the events can be followed.
  bool has_created() {
    if (log_.events.empty() || log_.events.front().sequence != 1 ||
        !std::holds_alternative<Created>(log_.events.front().event))
      return false;
    try {
      for (const StoredEvent& stored : log_.events) latest_.apply(stored);
    } catch (const DamagedError&) {  // reported by look_at_events()
    }
    return true;
  }

  // Those that a database keeps are copied here, and are compared with what it has now.
  bool has_copies() {
    if (!address_.is_in_database()) return true;
    if (log_.problem_count > 0) return false;  // a damaged log cannot be opened
    part("files", [&]() -> std::string {
      try {
        const std::unique_ptr<EventStore> store = open_event_store(address_, Access::read);
        for (const std::string& name : damaged_files(*store))
          complain(fmt::format("{}: its file {} is not what its checksum says", address_.text(), name), true);
        if (!result_.differs) folder_ = local_copies(*store);
        return fmt::format("{}, as their checksums say",
                           counted(static_cast<std::int64_t>(store->files().size()), "file"));
      } catch (const StoreError& error) {
        complain(error.what());
        return "";
      }
    });
    return !folder_.empty();
  }

  void look_at_copy(const std::string& name, const std::string& recorded) {
    part(name, [&]() -> std::string {
      fs::path file = folder_ / name;
      // A change that was cut off before its copies were renamed; the next command that writes completes it.
      if (const fs::path next = folder_ / next_copy(name); !latest_.changes().empty() &&
                                                           fs::is_regular_file(next) &&
                                                           base::checksum(read_file(next)) == recorded)
        file = next;
      if (!fs::is_regular_file(file)) {
        complain(fmt::format("{}: it does not exist, must be the copy the campaign was created with",
                             file.string()),
                 true);
        return "";
      }
      const std::string bytes = read_file(file);
      if (base::checksum(bytes) != recorded)
        complain(fmt::format("{}: it is not the copy the campaign was created with", file.string()), true);
      return fmt::format("as when the campaign was created, {}",
                         counted(static_cast<std::int64_t>(bytes.size()), "byte"));
    });
  }

  void look_at_copies(const Created& created) {
    look_at_copy("study.toml", created.study_checksum);
    look_at_copy(created.pool_file, created.pool_checksum);
    if (!result_.differs || result_.problems.size() >= LogInspection::most_problems) return;
    try {
      frozen_files(folder_, latest_, false);
    } catch (const DifferentStudyError& error) {
      explain_difference(error.what());
    }
  }

  // Replaces the general sentence about a file by the one that has the line.
  void explain_difference(const std::string& sentence) {
    for (std::string& problem : result_.problems)
      if (sentence.starts_with(problem.substr(0, problem.find(": ")) + ":")) problem = sentence;
  }

  void look_at_study(const Created& created) {
    if (result_.differs) return;
    part("study", [&]() -> std::string {
      try {
        study_ = open_frozen_study(frozen_files(folder_, latest_, false));
        if (PoolFile::recognises(folder_ / created.pool_file))
          PoolFile::open(folder_ / created.pool_file).verify();
        look_at_tables();
      } catch (const InputError& error) {
        complain(error.what());
        return "";
      }
      return fmt::format("{}, {}", counted(study_->pool().size(), "pool point"),
                         counted(static_cast<std::int64_t>(study_->offer().levels.size()), "level"));
    });
  }

  // Tables named by the study; the log has no checksums of them.
  void look_at_tables() {
    const StudyFile& file = study_->file();
    std::vector<fs::path> tables;
    if (!file.initial.file.empty()) tables.push_back(file.initial.file);
    if (file.goal && !file.goal->file.empty()) tables.push_back(file.goal->file);
    if (!file.people.gold.empty()) tables.push_back(file.people.gold);
    if (file.annotator.kind == AnnotatorSetting::Kind::truth) tables.push_back(file.annotator.truth);
    for (const fs::path& table : tables)
      if (!fs::is_regular_file(table))
        complain(fmt::format("{}: it does not exist, must be the copy the campaign was created with",
                             table.string()),
                 true);
  }

  void look_at_events() {
    part("events", [&]() -> std::string {
      std::optional<EventRules> rules;
      if (study_) rules.emplace(*study_, changes_in(log_.events));
      State state;
      for (const StoredEvent& stored : log_.events)
        if (!follows(stored, rules, state)) return "";
      check_end(rules, state);
      if (!study_ && !log_.events.empty()) return "valid, except for rules that need the study";
      return fmt::format("{}, all valid{}", counted(state.sequence(), "event"), ahead_text());
    });
  }

  std::string ahead_text() const {
    const double ahead = log_.events.empty() ? 0.0 : log_.events.back().time - now();
    return ahead > usual_clock_difference
               ? fmt::format("; the last is {} ahead of this machine's clock", in_words(ahead))
               : "";
  }

  // False if the events after it cannot be checked.
  bool follows(const StoredEvent& stored, const std::optional<EventRules>& rules, State& state) {
    if (stored.sequence != state.sequence() + 1) return false;  // an event before it cannot be read
    try {
      if (rules) rules->require(stored.event, state);
    } catch (const InputError& error) {
      complain_of_log(
          fmt::format("event {} (\"{}\"): {}", stored.sequence, event_name(stored.event), error.what()));
    }
    try {
      state.apply(stored);
    } catch (const DamagedError& error) {
      complain_of_log(error.what());
      return false;
    }
    return true;
  }

  void check_end(const std::optional<EventRules>& rules, const State& state) {
    try {
      if (rules) rules->require_answerable(state);
    } catch (const InputError& error) {
      complain_of_log(fmt::format("after event {} {}", state.sequence(), error.what()));
    }
  }

  const CampaignAddress& address_;
  fs::path folder_;  // of the copies
  LogInspection log_;
  State latest_;
  std::optional<Study> study_;
  Verification result_;
};

// The study as it was when the campaign was created, if it can still be read.
std::optional<Study> frozen_study(const CampaignAddress& address, const std::vector<StoredEvent>& events) {
  State state;
  try {
    for (const StoredEvent& stored : events) state.apply(stored);
    const fs::path copies =
        address.is_in_database() ? local_copies(*open_event_store(address, Access::read)) : address.folder();
    return open_frozen_study(frozen_files(copies, state, false));
  } catch (const InputError&) {
  } catch (const StoreError&) {
  }
  return std::nullopt;
}

}  // namespace

void require_campaign(const CampaignAddress& address) {
  if (address.is_folder() ? !fs::exists(address.folder()) : !Campaign::recognises(address))
    throw InputError(
        fmt::format("{}: it does not exist, must be a campaign (acuity init creates one)", address.text()));
  if (!Campaign::recognises(address))
    throw InputError(fmt::format("{}: it is not a campaign, must be a folder that acuity init has created",
                                 address.text()));
  if (address.is_folder()) require_no_pipes(address.folder());
}

std::string log_name(const CampaignAddress& address) {
  return address.is_folder() ? (address.folder() / "events.sqlite").string() : address.text();
}

Verification verify_campaign(const CampaignAddress& address) {
  require_campaign(address);
  return Verifier(address).verify();
}

std::vector<StoredEvent> intact_events(const CampaignAddress& address) {
  std::vector<StoredEvent> events = intact_log(address);
  std::optional<Study> study;
  if (!events.empty() && std::holds_alternative<Created>(events.front().event))
    study = frozen_study(address, events);
  std::optional<EventRules> rules;
  if (study) rules.emplace(*study, changes_in(events));
  State state;
  try {
    for (const StoredEvent& stored : events) {
      if (rules) require_replayable(stored, *rules, state);
      state.apply(stored);
    }
  } catch (const DamagedError&) {
    events.resize(static_cast<std::size_t>(state.sequence()));
  }
  return events;
}

}  // namespace acuity
