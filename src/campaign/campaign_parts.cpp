#include "campaign/campaign_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "acuity/selection/plan.hpp"
#include "acuity/study/study_learner.hpp"
#include "base/clock.hpp"
#include "campaign/answer_check.hpp"
#include "campaign/audit.hpp"
#include "campaign/choose_next.hpp"
#include "campaign/initial_events.hpp"
#include "campaign/state_queries.hpp"
#include "store/kept_files.hpp"
#include "study/study_cache.hpp"
#include "text/duration.hpp"
#include "text/number_text.hpp"

namespace acuity {

namespace {

template <typename... Kinds>
bool has_any(const std::vector<StoredEvent>& events) {
  return std::any_of(events.begin(), events.end(), [](const StoredEvent& stored) {
    return (std::holds_alternative<Kinds>(stored.event) || ...);
  });
}

}  // namespace

Study open_frozen(const FrozenFiles& files, const Created& created, const CampaignOptions& options,
                  const Job& job) {
  try {
    return open_frozen_study(files, options.tables, job);
  } catch (const InputError& error) {
    throw DamagedError(fmt::format("{}; the campaign was created by acuity {}, this is {}", error.what(),
                                   printable(created.version, 40), ACUITY_VERSION));
  }
}

// By another connection: the campaign's own may be in the middle of a transaction, which cannot be repeated
// from here.
std::filesystem::path copies_of_kept_files(const CampaignAddress& address, const Job& job) {
  return job.from_leader([&] { return local_copies(*open_event_store(address, Access::read)).string(); });
}

std::size_t Campaign::Parts::follow_changes(const std::vector<StoredEvent>& events) {
  const std::size_t changes = changes_in(events);
  if (changes == 0) return 0;
  if (copies.empty()) {  // a copy of a log in memory, whose study is the last one
    rules.emplace(study, rules->changes() + changes);
    return 0;
  }
  std::size_t count = 0;
  for (; state.changes().size() < rules->changes() + changes; ++count) state.apply(events[count]);
  load_study();
  for (std::size_t k = 0; k < count && options.watch; ++k) options.watch(events[k], state);
  return count;
}

void Campaign::Parts::load_study() {
  if (store->keeps_files()) copies = copies_of_kept_files(address, job);
  study =
      open_frozen(frozen_files_of(job, copies, state, !store->keeps_files()), state.created(), options, job);
  rules.emplace(study, state.changes().size());
  belief.forget();
}

void Campaign::Parts::apply(const std::vector<StoredEvent>& events) {
  for (std::size_t k = follow_changes(events); k < events.size(); ++k) {
    const StoredEvent& stored = events[k];
    require_replayable(stored, *rules, state);
    state.apply(stored);
    if (options.watch) options.watch(stored, state);
  }
  if (!events.empty()) require_answerable();
}

void Campaign::Parts::require_answerable() const {
  try {
    rules->require_answerable(state);
  } catch (const InputError& error) {
    throw DamagedError(fmt::format("after event {} of the log {}", state.sequence(), error.what()));
  }
}

void Campaign::Parts::require_ownership() const {
  const OwnerChanged& owner = state.owner();
  if (!owning || owner.is_same_process(*owning)) return;
  throw OwnedError(fmt::format(
      "{}: {}; this run stops, answers that it has received are recorded", address.text(),
      owner.host.empty()
          ? std::string("another process has taken over and ended")
          : fmt::format("process {} on {} has taken over {} ago", owner.process, printable(owner.host, 100),
                        in_words(std::max(0.0, std::round(now() - state.owner_since()))))));
}

void Campaign::Parts::require_replayable_after(const std::vector<Event>& events,
                                               const FrozenFiles& files) const {
  const Study next = open_frozen_study(files);
  require_input_names(next);
  require_annotator(next, state.created().study_folder);
  std::vector<StoredEvent> all = store->read(0);
  for (const Event& event : events) all.push_back({static_cast<std::int64_t>(all.size()) + 1, now(), event});
  try {
    replay(all, EventRules(next, changes_in(all)));
  } catch (const DamagedError& error) {
    complain(std::string("the study cannot be changed in this way: ") + error.what());
  }
}

void Campaign::Parts::add_given(const Decision& decide) {
  if (!group) {
    std::vector<StoredEvent> all_news;
    apply(store->add(state.sequence(), [&](const std::vector<StoredEvent>& news) {
      apply(news);
      require_ownership();
      all_news.insert(all_news.end(), news.begin(), news.end());
      std::vector<Event> events = decide(all_news);
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

void Campaign::Parts::require_writable(const std::vector<Event>& events) const {
  if (events.size() == 1) return require_writable(events.front(), state);
  State after = events.empty() ? State() : state;
  for (const Event& event : events) {
    require_writable(event, after);
    after.apply({after.sequence() + 1, now(), event});
  }
}

void Campaign::Parts::require_writable(const Event& event, const State& before) const {
  try {
    require_replayable({before.sequence() + 1, now(), event}, *rules, before);
  } catch (const DamagedError& error) {
    complain(std::string("nothing was written: ") + error.what());
  }
}

void Campaign::Parts::complain(const std::string& sentence) const {
  throw InputError(address.is_nowhere() ? sentence : address.text() + ": " + sentence);
}

const SuggestionRecord& Campaign::Parts::find(std::int64_t id) const {
  if (const SuggestionRecord* record = state.find(id)) return *record;
  complain(no_such_suggestion(state, id));
}

const SuggestionRecord& Campaign::Parts::find_told(std::int64_t id, const char* to_be) const {
  const SuggestionRecord& record = find(id);
  if (record.replaced_by)
    complain(
        fmt::format("the answer to {} was replaced by that to {}, which continued its run, and cannot "
                    "be {}; retract {} to make it valid again",
                    id, *record.replaced_by, to_be, *record.replaced_by));
  if (record.status == SuggestionStatus::told) return record;
  complain(fmt::format("suggestion {} is {}, must have an answer to be {}", id, status_name(record), to_be));
}

void Campaign::Parts::require_reason(std::int64_t id, const char* what, const std::string& reason) const {
  if (reason.empty()) complain(fmt::format("the {} of {} has no reason, must have one", what, id));
}

BudgetChanged Campaign::Parts::budget_change(double by) const {
  if (!std::isfinite(by)) complain("the change of the budget is not finite, must be a finite number");
  if (std::isinf(state.budget())) complain("it has no budget, so the budget cannot be changed");
  if (state.budget() + by < 0.0)
    complain(fmt::format("the budget would be {}, must be 0 or more", shortest(state.budget() + by)));
  if (by < 0.0 && state.budget() + by < (state.spent() + state.escrow()) * (1.0 - 1e-9))
    complain(fmt::format("the budget would be {}, must be at least {}: {} spent and {} reserved",
                         shortest(state.budget() + by), brief(state.spent() + state.escrow(), 8),
                         brief(state.spent(), 8), brief(state.escrow(), 8)));
  if (state.budget() + by > largest_amount)
    complain(fmt::format("the budget would be {}, must be at most {}", shortest(state.budget() + by),
                         largest_amount_text));
  return {by};
}

std::optional<BudgetChanged> Campaign::Parts::budget_setting(double budget) const {
  if (!std::isfinite(budget)) complain("the budget is not finite, must be a finite number");
  if (budget == state.budget()) return std::nullopt;
  if (const double bound = state.spent() + state.escrow(); budget < bound && budget < state.budget())
    complain(fmt::format("the budget would be {}, must be at least {}, which is spent or reserved",
                         shortest(budget), shortest(bound)));
  BudgetChanged change = budget_change(budget - state.budget());
  // The sum must be the budget itself, or repeating the command would change it again.
  for (int k = 0; k < 4 && state.budget() + change.by != budget; ++k)
    change.by += budget - (state.budget() + change.by);
  return change;
}

State Campaign::Parts::state_after(const Event& event) const {
  State after = state;
  after.apply({state.sequence() + 1, now(), event});
  return after;
}

double Campaign::Parts::lease_clock() const {
  const double log = now();
  if (address.is_in_database() || !job.is_alone()) return log;
  const double host = acuity::now();
  return log - host > usual_clock_difference ? host : log;
}

// A lease that is longer than the log is ahead ends by the clock of the log, so that the end of a lease that
// is later than its beginning always tells how long the lease is.
double Campaign::Parts::lease_end(double seconds) const {
  const double log = now(), clock = lease_clock();
  return (log - clock > seconds ? clock : log) + seconds;
}

void Campaign::Parts::release_lapsed() {
  const auto due = [&] {
    const double clock = lease_clock();
    std::vector<Event> events;
    for (const std::int64_t id : state.pending()) {
      const SuggestionRecord& record = *state.find(id);
      const std::optional<double>& until = record.asked.lease_until;
      if (!until) continue;
      const double seconds = *until - record.asked_at;
      if (*until <= clock)
        events.push_back(Released{id, "its lease has ended"});
      else if (seconds > 0.0 && record.asked_at - clock > std::max(seconds, usual_clock_difference))
        // It began while a clock was ahead; when that was is not known, so that it begins again.
        events.push_back(Renewed{id, clock + seconds, record.asked.worker});
    }
    return events;
  };
  if (!due().empty()) add(due);
}

Campaign::Parts::Choice Campaign::Parts::choose(const AskOptions& asked) {
  const auto begin = std::chrono::steady_clock::now();
  belief.follow(state);
  Choice choice;
  if (asked.budget) choice.events.push_back(budget_change(*asked.budget));
  if (asked.budget_to)
    if (const auto change = budget_setting(*asked.budget_to)) choice.events.push_back(*change);
  choice.result = !choice.events.empty()
                      ? choose_next(study, state_after(choice.events[0]), belief, asked, now())
                      : choose_next(study, state, belief, asked, now());
  for (const Suggestion& s : choice.result.suggestions)
    choice.events.push_back(
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
              .worker = asked.worker,
              .lease_until = asked.lease ? std::optional(lease_end(*asked.lease)) : std::nullopt,
              .answer_mean = s.answer_mean,
              .answer_variance = s.answer_variance,
              .reserve = s.reserved() > s.cost ? std::optional(s.reserved()) : std::nullopt,
              .replaces = s.resume_from,
              .gold = study.gold_class(s.row).has_value(),
              .audit = s.audit});
  choice.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return choice;
}

// Choosing among many points takes seconds. It is done before the transaction, in which nothing may have come
// that could change the choice; the second time under the lock if it is quick, at last in any case.
AskResult Campaign::Parts::choose_and_record(const AskOptions& asked) {
  constexpr double quick = 0.1;
  constexpr int attempts = 3;
  try {
    Choice choice = choose(asked);
    bool is_recorded = false;
    for (int attempt = 1; !is_recorded; ++attempt) {
      const bool is_quick = job.as_leader_says(choice.seconds < quick);
      const bool may_choose_again = attempt == attempts || (attempt > 1 && is_quick);
      std::int64_t chosen_at = state.sequence();
      add_given([&](const std::vector<StoredEvent>& news) -> std::vector<Event> {
        is_recorded = true;
        const bool stays = std::none_of(news.begin(), news.end(), [&](const StoredEvent& stored) {
          return stored.sequence > chosen_at && !std::holds_alternative<OwnerChanged>(stored.event) &&
                 !std::holds_alternative<Renewed>(stored.event);
        });
        if (stays) return choice.events;
        is_recorded = may_choose_again;
        if (!may_choose_again) return {};
        belief.take_back();
        choice = choose(asked);
        chosen_at = state.sequence();
        return choice.events;
      });
      if (is_recorded) break;
      belief.take_back();
      choice = choose(asked);
    }
    if (job.leads()) keep_belief(study.file(), belief.belief());
    return choice.result;
  } catch (...) {
    belief.forget();  // it includes suggestions that were not recorded
    throw;
  }
}

void Campaign::Parts::learn_if_due() {
  for (int attempt = 0; attempt < 3; ++attempt) {
    const std::int64_t last = state.fitted() && !state.fit_is_stale() ? state.fitted()->annotations : 0;
    const std::int64_t used = StudyLearner(study).learns_from(state.annotations(), last);
    const bool due = used > 0 && !in_initial_phase(study, state) &&
                     (!state.fitted() || state.fitted()->annotations < used || state.fit_is_stale());
    if (!due) return;
    std::vector<Annotation> annotations = belief.annotations(state);
    annotations.erase(annotations.begin() + used, annotations.end());
    const std::optional<Learned> before = learned_of(study, state);
    // The leader learns, and all processes read the result in its event.
    std::optional<Learned> learned;
    job.on_leader([&] {
      learned =
          StudyLearner(study).learn_from(annotations, options.learning, options.threads,
                                         before ? &*before : nullptr, last, gold_answers_of(study, state));
    });
    bool counts = true;
    add_given([&](const std::vector<StoredEvent>& news) -> std::vector<Event> {
      counts = !has_any<Amended, Retracted, Fitted, StudyChanged>(news);
      if (!counts || !learned) return {};
      return {fitted_of(study, *learned, used)};
    });
    if (counts) return;
  }
}

void Campaign::Parts::end_audit_if_due() {
  if (!audit_is_complete(study, state)) return;
  std::optional<Audited> audited;
  job.on_leader([&] { audited = audit_predictions(study, state, options.threads); });
  add_given([&](const std::vector<StoredEvent>& news) -> std::vector<Event> {
    if (!audited || has_any<Asked, Told, Amended, Retracted, Fitted, Audited, StudyChanged>(news)) return {};
    return {*audited};
  });
}

bool Campaign::Parts::plan_is_stale() const {
  if (!study.file().acquisition.plan || in_initial_phase(study, state)) return false;
  const bool has_goal = study.goal() != nullptr;
  return state.plan_is_stale(false, audit_reserve(study, state)) ||
         (!has_goal && fit_calls_for_plan(study, state));
}

void Campaign::Parts::plan_if_due() {
  if (!study.file().acquisition.plan || in_initial_phase(study, state)) return;
  const StudyModel& model = belief.model();
  if (!StudyLearner(study).plans(model)) return;
  if (!plan_is_stale() && !costs_differ_from_plan(state, model)) return;
  if (!study.file().knows_scale() && !model.learned) return;  // there is no scale to compare levels by
  Candidates candidates = belief.candidates(state);
  add_top_ups(study, state, model, candidates);
  const BudgetPlan plan = StudyLearner(study).plan(
      model, belief.annotations(state), belief.belief(), candidates,
      {.threads = options.threads, .seconds = options.plan_seconds, .progress = options.planning});
  add_given([&](const std::vector<StoredEvent>& news) -> std::vector<Event> {
    if (has_any<Amended, Retracted, Fitted, BudgetChanged, Planned, StudyChanged>(news)) return {};
    return {planned_of(study, model, plan, candidates.remaining())};
  });
}

}  // namespace acuity
