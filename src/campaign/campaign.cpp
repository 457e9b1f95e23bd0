#include "acuity/campaign/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "acuity/data/money.hpp"
#include "acuity/numerics/errors.hpp"
#include "acuity/selection/plan.hpp"
#include "campaign/answer_check.hpp"
#include "campaign/campaign_belief.hpp"
#include "campaign/campaign_folder.hpp"
#include "campaign/choose_next.hpp"
#include "campaign/crash_point.hpp"
#include "campaign/event_rules.hpp"
#include "campaign/initial_events.hpp"
#include "campaign/owner.hpp"
#include "campaign/state_queries.hpp"
#include "campaign/unfinished_folder.hpp"
#include "campaign/verification.hpp"
#include "numerics/checksum.hpp"
#include "numerics/clock.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

template <typename... Kinds>
bool has_any(const std::vector<StoredEvent>& events) {
  return std::any_of(events.begin(), events.end(), [](const StoredEvent& stored) {
    return (std::holds_alternative<Kinds>(stored.event) || ...);
  });
}

// The error message for a damaged log, with the number of events that can be saved.
std::string damage_sentence(const fs::path& folder, std::string sentence) {
  const std::string log = (folder / "events.sqlite").string();
  if (!sentence.starts_with(log))
    sentence = fmt::format("{}: it is damaged ({}); nothing was written to it", log, sentence);
  const std::size_t intact = intact_events(folder).size();
  if (intact == 0) return sentence + "; none of its events can be read";
  return fmt::format("{}; its first {} {} intact, to save them: acuity export {} --events F", sentence,
                     intact, intact == 1 ? "event is" : "events are", folder.string());
}

// The error message for a log of a newer version, which can still read it.
std::string newer_sentence(const fs::path& folder, const std::string& sentence) {
  const std::vector<StoredEvent> events = intact_events(folder);
  const auto* created = events.empty() ? nullptr : std::get_if<Created>(&events.front().event);
  return created == nullptr ? sentence
                            : fmt::format("{}; the campaign was created by acuity {}", sentence,
                                          printable(created->version, 40));
}

// Calls read() and completes the message if the log is damaged or of a newer version.
template <typename Read>
void with_damage_report(const fs::path& folder, const Read& read) {
  try {
    read();
  } catch (const NewerVersionError& error) {
    throw NewerVersionError(newer_sentence(folder, error.what()));
  } catch (const DamagedError& error) {
    throw DamagedError(damage_sentence(folder, error.what()));
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
  if (!numerics::fits_checksum(created.study, created.study_checksum))
    throw DamagedError("event 1 of the log has a study that does not match its checksum");
}

// The frozen study is unchanged, but may have been written for another version of acuity.
Study open_frozen(const fs::path& folder, const Created& created) {
  try {
    const bool of_first = created.version.starts_with("0.1.");
    return Study::open(folder / "study.toml", of_first ? StudyDefaults::first : StudyDefaults::current);
  } catch (const InputError& error) {
    throw DamagedError(fmt::format("{}; the campaign was created by acuity {}, this is {}", error.what(),
                                   printable(created.version, 40), ACUITY_VERSION));
  }
}

}  // namespace

struct Campaign::Parts {
  fs::path folder;
  Study study;
  std::unique_ptr<EventStore> store;
  CampaignOptions options;
  EventRules rules;
  State state;
  CampaignBelief belief;

  Parts(Study s, std::unique_ptr<EventStore> e, CampaignOptions o)
      : study(std::move(s)),
        store(std::move(e)),
        options(std::move(o)),
        rules(study),
        belief(study, options.threads,
               study.file().acquisition.plan ? options.storage_for_plans.value_or(options.storage)
                                             : options.storage) {}

  void apply(const std::vector<StoredEvent>& events) {
    for (const StoredEvent& stored : events) {
      require_replayable(stored, rules, state);
      state.apply(stored);
      if (options.watch) options.watch(stored, state);
    }
    if (!events.empty()) require_answerable();
  }

  void require_answerable() const {
    try {
      rules.require_answerable(state);
    } catch (const InputError& error) {
      throw DamagedError(fmt::format("after event {} of the log {}", state.sequence(), error.what()));
    }
  }

  // One write transaction: `decide` is called with the current state and the events that are new in it.
  void add_given(const Decision& decide) {
    if (!group) {
      apply(store->add(state.sequence(), [&](const std::vector<StoredEvent>& news) {
        apply(news);
        std::vector<Event> events = decide(news);
        require_writable(events);
        return events;
      }));
      return;
    }
    for (Event& event : decide({})) {
      require_writable(event, state);
      state.apply({state.sequence() + 1, now(), event});
      group->push_back(std::move(event));
    }
  }

  // The last check before anything is written: nothing that cannot be replayed may enter the log. Callers
  // check user input before, with better messages.
  void require_writable(const std::vector<Event>& events) const {
    if (events.size() == 1) return require_writable(events.front(), state);
    State after = events.empty() ? State() : state;
    for (const Event& event : events) {
      require_writable(event, after);
      after.apply({after.sequence() + 1, now(), event});
    }
  }

  void require_writable(const Event& event, const State& before) const {
    try {
      require_replayable({before.sequence() + 1, now(), event}, rules, before);
    } catch (const DamagedError& error) {
      complain(std::string("nothing was written: ") + error.what());
    }
  }
  template <typename Decide>
  void add(const Decide& decide) {
    add_given([&](const auto&) { return decide(); });
  }

  std::optional<std::vector<Event>> group;  // events of in_one_transaction(), not written yet

  [[noreturn]] void complain(const std::string& sentence) const {
    throw InputError(folder.empty() ? sentence : folder.string() + ": " + sentence);
  }

  const SuggestionRecord& find(std::int64_t id) const {
    if (const SuggestionRecord* record = state.find(id)) return *record;
    complain(no_such_suggestion(state, id));
  }

  // A suggestion with an answer, which can be corrected.
  const SuggestionRecord& find_told(std::int64_t id, const char* to_be) const {
    const SuggestionRecord& record = find(id);
    if (record.status == SuggestionStatus::told) return record;
    complain(
        fmt::format("suggestion {} is {}, must have an answer to be {}", id, status_name(record), to_be));
  }

  void require_reason(std::int64_t id, const char* what, const std::string& reason) const {
    if (reason.empty()) complain(fmt::format("the {} of {} has no reason, must have one", what, id));
  }

  BudgetChanged budget_change(double by) const {
    if (!std::isfinite(by)) complain("the change of the budget is not finite, must be a finite number");
    if (std::isinf(state.budget())) complain("it has no budget, so the budget cannot be changed");
    if (state.budget() + by < 0.0)
      complain(fmt::format("the budget would be {}, must be 0 or more", shortest(state.budget() + by)));
    if (state.budget() + by > largest_amount)
      complain(fmt::format("the budget would be {}, must be at most {}", shortest(state.budget() + by),
                           largest_amount_text));
    return {by};
  }

  State state_after(const Event& event) const {
    State after = state;
    after.apply({state.sequence() + 1, now(), event});
    return after;
  }

  void release_lapsed() {
    if (state.lapsed(now()).empty()) return;
    add([&] {
      std::vector<Event> events;
      for (const std::int64_t id : state.lapsed(now())) events.push_back(Released{id, "its lease has ended"});
      return events;
    });
  }

  // Learning is slow, so it happens outside a transaction; the result is discarded if earlier answers were
  // changed meanwhile.
  void learn_if_due() {
    for (int attempt = 0; attempt < 3; ++attempt) {
      const std::int64_t last = state.fitted() && !state.fit_is_stale() ? state.fitted()->annotations : 0;
      const std::int64_t used = study.learns_from(state.annotations(), last);
      const bool due = used > 0 && !in_initial_phase(study, state) &&
                       (!state.fitted() || state.fitted()->annotations < used || state.fit_is_stale());
      if (!due) return;
      std::vector<Annotation> annotations = belief.annotations(state);
      annotations.erase(annotations.begin() + used, annotations.end());
      const std::optional<Learned> before = learned_of(study, state);
      const Learned learned =
          study.learn_from(annotations, options.learning, options.threads, before ? &*before : nullptr, last);
      bool counts = true;
      add_given([&](const std::vector<StoredEvent>& news) -> std::vector<Event> {
        counts = !has_any<Amended, Retracted, Fitted>(news);
        if (!counts) return {};
        return {fitted_of(study, learned, used)};
      });
      if (counts) return;
    }
  }

  // Planning is slow, too. The belief follows the state; what is planned is discarded if money or
  // hyperparameters have changed meanwhile.
  void plan_if_due() {
    if (!study.file().acquisition.plan || in_initial_phase(study, state)) return;
    if (!state.plan_is_stale(study.goal() == nullptr)) return;  // plans for a goal take longer
    const StudyModel& model = belief.model();
    if (!study.file().knows_scale() && !model.learned) return;  // there is no scale to compare levels by
    const Candidates candidates = candidates_of(study, state, belief.annotations(state));
    const BudgetPlan plan = study.plan(
        model, belief.annotations(state), belief.belief(), candidates,
        {.threads = options.threads, .seconds = options.plan_seconds, .progress = options.planning});
    add_given([&](const std::vector<StoredEvent>& news) -> std::vector<Event> {
      if (has_any<Amended, Retracted, Fitted, BudgetChanged, Planned>(news)) return {};
      return {planned_of(plan, candidates.remaining())};
    });
  }
};

void Campaign::create(const fs::path& folder, const fs::path& study_file) {
  create(folder, Study::open(study_file));
}

void Campaign::create(const fs::path& folder, const Study& original) {
  // The study is checked completely before a folder is created.
  const FrozenStudy frozen = freeze(original);
  require_input_names(original);
  require_annotator(original);
  const bool has_command = original.file().annotator.kind == AnnotatorSetting::Kind::command;
  make_folder(folder, has_command, [&](const fs::path& aside) {
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
    fs::create_directory(aside / "runs");
    crash_point();
    // Initial answers are read from the original file, so that error messages name that one.
    std::vector<Event> events =
        initial_events(original, created_with(original.file(), frozen, aside / frozen.pool_file));
    require_replayable_log(events, original);
    const auto store = SqliteEventStore::create(aside / "events.sqlite");
    store->add(0, [&](const auto&) { return std::move(events); });
  });
}

bool Campaign::recognises(const fs::path& folder) {
  return fs::is_directory(folder) && (fs::exists(folder / "events.sqlite") ||
                                      (fs::exists(folder / "study.toml") && fs::exists(folder / "runs")));
}

Campaign Campaign::open(const fs::path& folder, Access access, CampaignOptions options) {
  require_campaign(folder);
  if (access == Access::write) remove_mark(folder);
  std::unique_ptr<EventStore> store;
  std::vector<StoredEvent> events;
  State state;
  with_damage_report(folder, [&] {
    store = SqliteEventStore::open(folder / "events.sqlite", access);
    events = store->read(0);
    for (const StoredEvent& stored : events) state.apply(stored);
    if (state.sequence() == 0) throw DamagedError("it is empty, must begin with \"created\"");
    require_own_checksum(state.created());
  });
  require_unchanged(folder, state.created());
  Study study = open_frozen(folder, state.created());
  with_damage_report(folder, [&] { state = replay(events, EventRules(study)); });
  Campaign campaign(std::move(study), std::move(store), std::move(options), std::move(state));
  campaign.parts_->folder = folder;
  return campaign;
}

Campaign::Campaign(Study study, std::unique_ptr<EventStore> store, CampaignOptions options, State state)
    : parts_(std::make_unique<Parts>(std::move(study), std::move(store), std::move(options))) {
  parts_->state = std::move(state);
}

Campaign::Campaign(Study study, std::unique_ptr<EventStore> store, CampaignOptions options)
    : Campaign(std::move(study), std::move(store), std::move(options), State()) {
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
Campaign::~Campaign() = default;
Campaign::Campaign(Campaign&&) noexcept = default;
Campaign& Campaign::operator=(Campaign&&) noexcept = default;

const Study& Campaign::study() const {
  return parts_->study;
}
const State& Campaign::state() const {
  return parts_->state;
}
const fs::path& Campaign::folder() const {
  return parts_->folder;
}
const State& Campaign::refresh() {
  if (!parts_->group) parts_->apply(parts_->store->read(parts_->state.sequence()));
  return parts_->state;
}
std::vector<StoredEvent> Campaign::events() const {
  return parts_->store->read(0);
}

AskResult Campaign::ask(const AskOptions& options) {
  if (options.count < 1)
    throw InputError(fmt::format("{} suggestions are asked for, must be at least 1", options.count));
  constexpr double century =
      100.0 * 365.25 * 86400.0;  // leases are printed as dates, which need a year of four digits
  if (options.lease && !(*options.lease >= 0.0 && *options.lease <= century))
    throw InputError(fmt::format("the lease is {}, must be a number of seconds from 0 to {}, a hundred years",
                                 std::isnan(*options.lease) ? "not a number" : shortest(*options.lease),
                                 shortest(century)));
  Parts& p = *parts_;
  refresh();
  p.release_lapsed();
  p.learn_if_due();
  p.belief.follow(p.state);  // the slow part; events that arrive meanwhile are appended below
  p.plan_if_due();
  AskResult result;
  try {
    p.add([&] {
      p.belief.follow(p.state);
      std::vector<Event> events;
      if (options.budget) events.push_back(p.budget_change(*options.budget));
      result = options.budget ? choose_next(p.study, p.state_after(events[0]), p.belief, options.count, now())
                              : choose_next(p.study, p.state, p.belief, options.count, now());
      for (const Suggestion& s : result.suggestions)
        events.push_back(
            Asked{.id = s.id,
                  .row = s.row,
                  .point = s.point,
                  .level = s.level.name,
                  .alpha = s.level.alpha,
                  .channel = s.channel,
                  .cost = s.cost,
                  .information = s.information,
                  .mean = s.mean,
                  .variance = s.variance,
                  .worker = options.worker,
                  .lease_until = options.lease ? std::optional(now() + *options.lease) : std::nullopt,
                  .answer_mean = s.answer_mean,
                  .answer_variance = s.answer_variance,
                  .reserve = s.reserved() > s.cost ? std::optional(s.reserved()) : std::nullopt});
      return events;
    });
  } catch (...) {
    p.belief.forget();  // it includes suggestions that were not recorded
    throw;
  }
  return result;
}

std::vector<TellResult> Campaign::would_tell(const std::vector<Answer>& answers) {
  refresh();
  std::vector<TellResult> results;
  std::set<std::int64_t> seen;
  double spent = parts_->state.spent();
  for (const Answer& answer : answers) {
    results.push_back(check_answer(parts_->study, parts_->state, answer).result);
    spent += results.back().charge;
    if (spent > largest_amount)
      throw InputError((answer.where.empty() ? "" : answer.where + ": ") + too_much_spent(answer.id, spent));
    if (!seen.insert(answer.id).second)
      throw InputError(fmt::format("{}suggestion {} has two answers, must have one",
                                   answer.where.empty() ? "" : answer.where + ": ", answer.id));
  }
  return results;
}

std::vector<TellResult> Campaign::tell(const std::vector<Answer>& answers) {
  would_tell(answers);  // throws for invalid answers without a transaction
  std::vector<TellResult> results;
  parts_->add([&] {
    std::vector<Event> events;
    results.clear();
    for (const Answer& answer : answers) {
      CheckedAnswer checked = check_answer(parts_->study, parts_->state, answer);
      results.push_back(checked.result);
      if (checked.result.changes) events.push_back(std::move(checked.event));
    }
    return events;
  });
  return results;
}

std::vector<TellResult> Campaign::add(const std::vector<Answer>& answers, bool dry_run) {
  std::vector<TellResult> results;
  const auto decide = [&] {
    State after = parts_->state;
    std::vector<Event> events;
    results.clear();
    for (const Answer& answer : answers) {
      CheckedAnswer checked = check_unasked(parts_->study, after, answer);
      if (after.spent() + checked.result.charge > largest_amount)
        throw InputError((answer.where.empty() ? "" : answer.where + ": ") +
                         too_much_spent(checked.result.id, after.spent() + checked.result.charge));
      results.push_back(checked.result);
      events.emplace_back(std::move(checked.event));
      after.apply({after.sequence() + 1, now(), events.back()});
    }
    return events;
  };
  if (dry_run) {
    refresh();
    decide();
  } else {
    parts_->add(decide);
  }
  return results;
}

bool Campaign::fail(const Failure& failure) {
  Parts& p = *parts_;
  if (!(std::isfinite(failure.charge) && failure.charge >= 0.0))
    p.complain(
        fmt::format("the cost of {} is {}, must be a finite number, 0 or more", failure.id, failure.charge));
  if (failure.charge > largest_amount)
    p.complain(fmt::format("the cost of {} is {}, must be at most {}", failure.id, shortest(failure.charge),
                           largest_amount_text));
  bool changes = false;
  p.add([&] {
    const SuggestionRecord& record = p.find(failure.id);
    const bool again = record.status == SuggestionStatus::failed;
    if (record.status != SuggestionStatus::pending && !again)
      p.complain(
          fmt::format("suggestion {} is {}, must be pending to fail", failure.id, status_name(record)));
    std::vector<Event> events;
    if (!again && p.state.spent() + failure.charge > largest_amount)
      p.complain(too_much_spent(failure.id, p.state.spent() + failure.charge));
    if (!again) events.push_back(Failed{failure.id, failure.reason, failure.charge});
    // On a ladder the whole point is excluded: another precision would most likely fail, too.
    const Excluded excluded{record.asked.row, record.asked.level, std::nullopt, failure.reason};
    const auto& all = p.state.excluded();
    const bool known = std::any_of(all.begin(), all.end(), [&](const Excluded& e) {
      return e.row == excluded.row && e.level == excluded.level;
    });
    if (failure.exclude && !known) events.push_back(excluded);
    changes = !events.empty();
    return events;
  });
  return changes;
}

std::vector<std::int64_t> Campaign::release(const std::vector<std::int64_t>& ids, const std::string& reason) {
  Parts& p = *parts_;
  std::vector<std::int64_t> released;
  p.add([&] {
    std::vector<Event> events;
    for (const std::int64_t id : std::set<std::int64_t>(ids.begin(), ids.end())) {
      const SuggestionRecord& record = p.find(id);
      if (record.status == SuggestionStatus::released) continue;
      if (record.status != SuggestionStatus::pending)
        p.complain(
            fmt::format("suggestion {} is {}, must be pending to be released", id, status_name(record)));
      events.push_back(Released{id, reason});
      released.push_back(id);
    }
    return events;
  });
  return released;
}

void Campaign::amend(std::int64_t id, const std::vector<double>& values, const std::string& reason) {
  Parts& p = *parts_;
  p.require_reason(id, "amendment", reason);
  try {
    require_values(p.study, values, fmt::format("the answer to {}", id));
  } catch (const InputError& error) {
    p.complain(error.what());
  }
  p.add([&]() -> std::vector<Event> {
    const SuggestionRecord& record = p.find_told(id, "amended");
    if (std::string why = why_not_several(p.study, record, values.size()); !why.empty()) p.complain(why);
    // A script may repeat an amendment if it does not know whether the first one was recorded.
    if (record.values == values && record.reason == reason) return {};
    return {Amended{id, values, reason}};
  });
}

void Campaign::retract(std::int64_t id, const std::string& reason) {
  parts_->require_reason(id, "retraction", reason);
  parts_->add([&]() -> std::vector<Event> {
    if (parts_->find_told(id, "retracted").retracted) return {};
    return {Retracted{id, reason}};
  });
}

void Campaign::change_budget(double by) {
  parts_->add([&] { return std::vector<Event>{parts_->budget_change(by)}; });
}

void Campaign::in_one_transaction(const std::function<void()>& work) {
  Parts& p = *parts_;
  if (p.group) return work();
  State before;
  try {
    const std::vector<StoredEvent> added = p.store->add(p.state.sequence(), [&](const auto& news) {
      p.apply(news);
      before = p.state;
      p.group.emplace();
      work();
      return std::move(*p.group);
    });
    p.group.reset();
    p.state = std::move(before);  // applied again below, with the times of the log and calls of options.watch
    p.apply(added);
  } catch (...) {
    p.group.reset();
    p.state = replay(p.store->read(0), p.rules);  // nothing was committed
    p.belief.forget();
    throw;
  }
}

void Campaign::take_ownership() {
  parts_->add([&] {
    const OwnerChanged& owner = parts_->state.owner();
    if (may_be_alive(owner))
      throw OwnedError(fmt::format(
          "{}: already being run by process {} on {} (started {:.0f} s ago); stop it first",
          parts_->folder.string(), owner.process, owner.host, now() - parts_->state.owner_since()));
    return std::vector<Event>{this_process()};
  });
}

void Campaign::give_up_ownership() {
  parts_->add([&]() -> std::vector<Event> {
    const OwnerChanged self = this_process(), &owner = parts_->state.owner();
    if (owner.host != self.host || owner.process != self.process) return {};
    return {OwnerChanged{}};
  });
}

std::vector<Annotation> Campaign::annotations() const {
  return annotations_of(parts_->study, parts_->state);
}

std::vector<Suggestion> Campaign::pending() const {
  std::vector<Suggestion> suggestions;
  for (const std::int64_t id : parts_->state.pending())
    suggestions.push_back(suggestion_of(parts_->study, parts_->state.find(id)->asked));
  return suggestions;
}

StudyModel Campaign::model() const {
  return model_of(parts_->study, parts_->state, annotations());
}

Candidates Campaign::candidates() const {
  return candidates_of(parts_->study, parts_->state);
}

PoolBelief& Campaign::belief() {
  parts_->belief.follow(parts_->state);
  return parts_->belief.belief();
}

}  // namespace acuity
