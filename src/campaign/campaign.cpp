#include "acuity/campaign/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "base/text.hpp"
#include "campaign/answer_check.hpp"
#include "campaign/campaign_internals.hpp"
#include "campaign/campaign_parts.hpp"
#include "campaign/choose_next.hpp"
#include "campaign/state_queries.hpp"

namespace acuity {

namespace {

namespace fs = std::filesystem;

}  // namespace

Campaign::~Campaign() = default;
Campaign::Campaign(Campaign&&) noexcept = default;
Campaign& Campaign::operator=(Campaign&&) noexcept = default;

const Study& Campaign::study() const {
  return parts_->study;
}
const State& Campaign::state() const {
  return parts_->state;
}
const CampaignAddress& Campaign::address() const {
  return parts_->address;
}
const fs::path& Campaign::folder() const {
  return parts_->address.folder();
}
const fs::path& Campaign::copies() const {
  return parts_->copies;
}
double Campaign::now() const {
  return parts_->now();
}
const State& Campaign::refresh() {
  if (!parts_->group) {
    parts_->apply(parts_->store->read(parts_->state.sequence()));
    parts_->require_ownership();
  }
  return parts_->state;
}
// Others may have added more since: who replays the events must come to this state.
std::vector<StoredEvent> Campaign::events() const {
  std::vector<StoredEvent> events = parts_->store->read(0);
  std::erase_if(events, [this](const StoredEvent& one) { return one.sequence > state().sequence(); });
  return events;
}

namespace {

void require_lease(double seconds) {
  constexpr double century =
      100.0 * 365.25 * 86400.0;  // leases are printed as dates, which need a year of four digits
  if (!(seconds >= 0.0 && seconds <= century))
    throw InputError(fmt::format("the lease is {}, must be a number of seconds from 0 to {}, a hundred years",
                                 std::isnan(seconds) ? "not a number" : shortest(seconds),
                                 shortest(century)));
}

}  // namespace

// What the worker has and has not answered. Leases are renewed when half of them is over: whoever asks every
// second need not write every second.
AskResult Campaign::Parts::resumed(const AskOptions& asked) {
  AskResult result;
  std::vector<std::int64_t> to_renew;
  for (const std::int64_t id : state.pending()) {
    const SuggestionRecord& record = *state.find(id);
    if (record.asked.worker != asked.worker || record.asked.row < 0) continue;
    if (static_cast<std::int64_t>(result.suggestions.size()) == asked.count) break;
    result.suggestions.push_back(suggestion_of(study, record.asked));
    const auto& until = record.asked.lease_until;
    if (asked.lease && until && *until < lease_clock() + 0.5 * *asked.lease) to_renew.push_back(id);
  }
  if (to_renew.empty()) return result;
  add([&] {
    std::vector<Event> events;
    for (const std::int64_t id : to_renew)
      if (state.find(id)->status == SuggestionStatus::pending)
        events.push_back(Renewed{id, lease_end(*asked.lease), asked.worker});
    return events;
  });
  // One may have been answered by another process meanwhile.
  std::erase_if(result.suggestions, [&](const Suggestion& one) {
    return state.find(one.id)->status != SuggestionStatus::pending;
  });
  return result;
}

void Campaign::Parts::prepare_to_choose() {
  end_audit_if_due();
  learn_if_due();
  if (options.storage_for_plans)
    belief.set_storage(plan_is_stale() ? *options.storage_for_plans : options.storage);
  belief.follow(state);  // the slow part; events that arrive meanwhile are appended when it chooses
  plan_if_due();
}

AskResult Campaign::ask(const AskOptions& options) {
  if (options.count < 1)
    throw InputError(fmt::format("{} suggestions are asked for, must be at least 1", options.count));
  if (options.capacity && *options.capacity < 1)
    throw InputError(fmt::format("the capacity is {}, must be at least 1", *options.capacity));
  if (options.lease) require_lease(*options.lease);
  if (options.resume && options.worker.empty())
    throw InputError("an ask that resumes has no worker, must have one");
  Parts& p = *parts_;
  refresh();
  p.release_lapsed();
  if (options.resume) {
    AskResult result = p.resumed(options);
    const auto count = static_cast<std::int64_t>(result.suggestions.size());
    if (count == options.count) return result;
    AskOptions rest = options;
    rest.resume = false;
    rest.count -= count;
    AskResult more = ask(rest);
    more.suggestions.insert(more.suggestions.begin(), result.suggestions.begin(), result.suggestions.end());
    return more;
  }
  p.prepare_to_choose();
  return p.choose_and_record(options);
}

std::vector<TellResult> Campaign::would_tell(const std::vector<Answer>& answers) {
  refresh();
  std::vector<TellResult> results;
  std::set<std::int64_t> seen;
  double spent = parts_->state.spent();
  std::vector<CheckedAnswer> checked;
  for (const Answer& answer : answers) {
    checked.push_back(check_answer(parts_->study, parts_->state, answer));
    spent += checked.back().result.charge;
    if (spent > largest_amount)
      throw InputError((answer.where.empty() ? "" : answer.where + ": ") + too_much_spent(answer.id, spent));
    if (!seen.insert(answer.id).second)
      throw InputError(fmt::format("{}suggestion {} has two answers, must have one",
                                   answer.where.empty() ? "" : answer.where + ": ", answer.id));
  }
  compare_with_others(parts_->study, parts_->state, checked);
  for (const CheckedAnswer& one : checked) results.push_back(one.result);
  return results;
}

std::vector<TellResult> Campaign::tell(const std::vector<Answer>& answers) {
  would_tell(answers);  // throws for invalid answers without a transaction
  std::vector<TellResult> results;
  parts_->add([&] {
    std::vector<CheckedAnswer> checked;
    for (const Answer& answer : answers)
      checked.push_back(check_answer(parts_->study, parts_->state, answer));
    compare_with_others(parts_->study, parts_->state, checked);
    std::vector<Event> events;
    results.clear();
    for (CheckedAnswer& one : checked) {
      results.push_back(one.result);
      if (one.result.changes) events.push_back(std::move(one.event));
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
      after.apply({after.sequence() + 1, parts_->now(), events.back()});
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
  if (failure.cannot_tell && failure.exclude)
    p.complain(fmt::format("{} could not be told and is to be excluded, must be one of them", failure.id));
  if (failure.seconds && !(std::isfinite(*failure.seconds) && *failure.seconds >= 0.0))
    p.complain(fmt::format("the time of {} is {}, must be a finite number of seconds, 0 or more", failure.id,
                           std::isnan(*failure.seconds) ? "not a number" : shortest(*failure.seconds)));
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
    if (!again)
      events.push_back(Failed{.id = failure.id,
                              .reason = failure.reason,
                              .charge = failure.charge,
                              .cannot_tell = failure.cannot_tell,
                              .worker = failure.worker,
                              .seconds = failure.seconds,
                              .inconclusive = failure.inconclusive});
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
    released.clear();
    for (const std::int64_t id : std::set<std::int64_t>(ids.begin(), ids.end())) {
      const SuggestionRecord& record = p.find(id);
      if (record.status == SuggestionStatus::released) continue;
      // One that failed may be tried again: it no longer waits behind everything else.
      if (record.status != SuggestionStatus::pending && record.status != SuggestionStatus::failed)
        p.complain(
            fmt::format("suggestion {} is {}, must be pending to be released", id, status_name(record)));
      events.push_back(Released{id, reason});
      released.push_back(id);
    }
    return events;
  });
  return released;
}

std::vector<std::int64_t> Campaign::renew(const std::vector<std::int64_t>& ids, const std::string& worker,
                                          double lease) {
  require_lease(lease);
  Parts& p = *parts_;
  const std::set<std::int64_t> each(ids.begin(), ids.end());
  p.add([&] {
    std::vector<Event> events;
    for (const std::int64_t id : each) {
      const SuggestionRecord& record = p.find(id);
      if (record.status != SuggestionStatus::pending)
        p.complain(
            fmt::format("suggestion {} is {}, must be pending to be renewed", id, status_name(record)));
      if (record.asked.worker != worker)
        p.complain(fmt::format("suggestion {} is that of {}, must be that of {} to be renewed", id,
                               record.asked.worker.empty() ? "nobody" : printable(record.asked.worker, 60),
                               worker.empty() ? "nobody" : printable(worker, 60)));
      events.push_back(Renewed{id, p.lease_end(lease), worker});
    }
    return events;
  });
  return {each.begin(), each.end()};
}

bool Campaign::add_person(const Person& person) {
  Parts& p = *parts_;
  const PersonAdded event{person.name, person.levels, person.active};
  try {
    require_valid(event);
  } catch (const InputError& error) {
    p.complain(error.what());
  }
  bool changes = false;
  p.add([&]() -> std::vector<Event> {
    if (!person.levels.empty() && p.study.is_ladder())
      p.complain(
          fmt::format("the level of {} is \"{}\", must be left out: the study has a ladder of precisions",
                      printable(person.name, 60), printable(person.levels.front(), 60)));
    try {
      for (const std::string& level : person.levels) p.study.level_named(level);  // throws
    } catch (const InputError& error) {
      p.complain(error.what());
    }
    const Person* known = p.state.find_person(person.name);
    changes = known == nullptr || known->levels != person.levels || known->active != person.active;
    return changes ? std::vector<Event>{event} : std::vector<Event>();
  });
  return changes;
}

void Campaign::amend(std::int64_t id, const std::vector<double>& values, const std::string& reason) {
  parts_->require_reason(id, "amendment", reason);
  try {
    require_values(parts_->study, values, fmt::format("the answer to {}", id));
  } catch (const InputError& error) {
    parts_->complain(error.what());
  }
  Amendment amendment;
  amendment.id = id;
  amendment.values = values;
  amendment.reason = reason;
  amend(amendment);
}

bool Campaign::amend(const Amendment& amendment) {
  Parts& p = *parts_;
  p.require_reason(amendment.id, "amendment", amendment.reason);
  bool changes = false;
  p.add([&]() -> std::vector<Event> {
    try {
      const std::optional<Amended> event = check_amendment(p.study, p.state, amendment);
      changes = event.has_value();
      return event ? std::vector<Event>{*event} : std::vector<Event>();
    } catch (const InputError& error) {
      p.complain(error.what());
    }
  });
  return changes;
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

bool Campaign::set_budget(double budget) {
  bool changes = false;
  parts_->add([&]() -> std::vector<Event> {
    const std::optional<BudgetChanged> change = parts_->budget_setting(budget);
    changes = change.has_value();
    return change ? std::vector<Event>{*change} : std::vector<Event>();
  });
  return changes;
}

void Campaign::in_one_transaction(const std::function<void()>& work) {
  Parts& p = *parts_;
  if (p.group || p.store->has_tenure()) return work();
  State before;
  std::optional<std::vector<Event>> done;  // `work` cannot be repeated
  try {
    const std::vector<StoredEvent> added = p.store->add(p.state.sequence(), [&](const auto& news) {
      if (done && !news.empty())
        throw StoreError(fmt::format("{}: another process has written to the log before {} could be written",
                                     p.store->name(),
                                     counted(static_cast<std::int64_t>(done->size()), "event")));
      if (done) return *done;
      p.apply(news);
      p.require_ownership();
      before = p.state;
      p.group.emplace();
      work();
      done = std::move(*p.group);
      return *done;
    });
    p.group.reset();
    p.state = std::move(before);  // applied again below, with the times of the log and calls of options.watch
    p.apply(added);
  } catch (...) {
    p.group.reset();
    p.state = replay(p.store->read(0), *p.rules);  // nothing was committed
    p.belief.forget();
    throw;
  }
}

void Campaign::take_ownership(bool take_over) {
  Parts& p = *parts_;
  p.heartbeat.reset();
  p.owning.reset();
  p.tenure.reset();
  const auto refuse = [&] {
    throw OwnedError(owned_sentence(p.address, p.state.owner(), p.state.owner_since(), p.state.owner_seen(),
                                    p.now(), p.store->has_tenure()));
  };
  std::unique_ptr<Tenure> tenure;
  if (p.store->has_tenure()) {
    tenure = p.store->try_own();
    refresh();
    if (!tenure) refuse();
  }
  OwnerChanged self;
  p.add([&] {
    const OwnerChanged& owner = p.state.owner();
    const bool is_taken = !tenure && may_be_alive(owner, p.now()) && (!take_over || is_here(owner));
    if (p.job.as_leader_says(is_taken)) refuse();
    self = this_process(p.options.owner_lease, p.now());
    return std::vector<Event>{self};
  });
  p.owning = self = p.state.owner();  // the leader of a job
  p.tenure = std::move(tenure);
  if (!p.address.is_nowhere() && p.job.leads())
    p.heartbeat = std::make_unique<Heartbeat>(p.address, self, p.options.owner_lease, p.tenure.get());
}

void Campaign::give_up_ownership() {
  Parts& p = *parts_;
  p.heartbeat.reset();
  const std::unique_ptr<Tenure> tenure = std::move(p.tenure);  // held until the log says so
  const std::optional<OwnerChanged> self = std::exchange(p.owning, std::nullopt);
  if (!self) return;
  p.add([&]() -> std::vector<Event> {
    if (!p.state.owner().is_same_process(*self)) return {};
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
  Candidates candidates = candidates_of(parts_->study, parts_->state);
  if (parts_->study.file().tops_up()) add_top_ups(parts_->study, parts_->state, model(), candidates);
  return candidates;
}

CampaignBelief& CampaignInternals::belief(Campaign& campaign) {
  return campaign.parts_->belief;
}

const Job& CampaignInternals::job(const Campaign& campaign) {
  return campaign.parts_->job;
}

AskResult CampaignInternals::would_ask(Campaign& campaign) {
  campaign.refresh();
  Campaign::Parts& p = *campaign.parts_;
  p.release_lapsed();
  p.prepare_to_choose();
  AskResult result = p.choose({.max_cost = std::numeric_limits<double>::infinity()}).result;
  p.belief.take_back();
  return result;
}

PoolBelief& Campaign::belief() {
  parts_->belief.follow(parts_->state);
  return parts_->belief.belief();
}

}  // namespace acuity