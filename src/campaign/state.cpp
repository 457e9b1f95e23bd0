#include "acuity/campaign/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "acuity/data/money.hpp"
#include "acuity/numerics/errors.hpp"

namespace acuity {

void State::require(const StoredEvent& stored) const {
  if (stored.sequence != sequence_ + 1)
    throw DamagedError(fmt::format("event {} of the log follows event {}", stored.sequence, sequence_));
  if ((stored.sequence == 1) != std::holds_alternative<Created>(stored.event))
    throw DamagedError(
        fmt::format("event {} of the log is \"{}\", must be \"created\" at the beginning and there only",
                    stored.sequence, event_name(stored.event)));
  std::visit([this](const auto& event) { check(event); }, stored.event);
}

void State::apply(const StoredEvent& stored) {
  require(stored);
  now_ = stored.time;
  std::visit([this](const auto& event) { take(event); }, stored.event);
  sequence_ = stored.sequence;
}

Index SuggestionRecord::row() const {
  if (!told) return asked.row;
  return told->inputs ? -1 : told->row.value_or(asked.row);
}

const std::string& SuggestionRecord::level() const {
  return told && !told->level.empty() ? told->level : asked.level;
}

std::optional<double> SuggestionRecord::alpha() const {
  return told && told->alpha ? told->alpha : asked.alpha;
}

Asked asked_by_itself(const Told& event) {
  Asked asked;
  asked.id = event.id;
  asked.row = event.row.value_or(-1);
  asked.point = event.unasked->point;
  asked.level = event.level;
  asked.alpha = event.alpha;
  asked.channel = event.unasked->channel;
  asked.cost = event.unasked->cost;
  return asked;
}

// An answer that becomes valid again after a retraction is moved to the end.
void State::set_counted(std::int64_t id, bool counts) {
  const auto at = std::find(answered_.begin(), answered_.end(), id);
  if (counts && at == answered_.end()) answered_.push_back(id);
  if (!counts && at != answered_.end()) answered_.erase(at);
}

const SuggestionRecord& State::require_known(std::int64_t id, const char* what) const {
  if (const SuggestionRecord* found = find(id)) return *found;
  throw DamagedError(fmt::format("event {} of the log has suggestion {} {}, which was never asked for",
                                 sequence_ + 1, id, what));
}

void State::require_pending(std::int64_t id, const char* what) const {
  if (require_known(id, what).status != SuggestionStatus::pending)
    throw DamagedError(fmt::format("event {} of the log has suggestion {} {}, which is not pending",
                                   sequence_ + 1, id, what));
}

void State::require_charge(double amount) const {
  if (!(amount >= 0.0 && spent_ + amount <= largest_amount))
    throw DamagedError(
        fmt::format("event {} of the log has a cost of {} after {} were spent, must be 0 or more "
                    "and at most {} in all",
                    sequence_ + 1, shortest(amount), shortest(spent_), largest_amount_text));
}

void State::check(const Asked& event) const {
  if (event.id != next_id())
    throw DamagedError(fmt::format("event {} of the log asks for suggestion {}, must be {}", sequence_ + 1,
                                   event.id, next_id()));
}

// Answers to released or failed suggestions are accepted, too: they are valid measurements and were paid for.
void State::check(const Told& event) const {
  if (event.unasked) {
    if (event.id != next_id())
      throw DamagedError(fmt::format("event {} of the log adds the answer {}, must be {}", sequence_ + 1,
                                     event.id, next_id()));
    return require_charge(event.cost);
  }
  if (require_known(event.id, "told").status == SuggestionStatus::told)
    throw DamagedError(
        fmt::format("event {} of the log answers suggestion {} again", sequence_ + 1, event.id));
  require_charge(event.cost);
}

void State::check(const Failed& event) const {
  require_pending(event.id, "failed");
  require_charge(event.charge);
}

void State::check(const Released& event) const {
  require_pending(event.id, "released");
}

void State::check(const Amended& event) const {
  if (require_known(event.id, "amended").status != SuggestionStatus::told)
    throw DamagedError(fmt::format("event {} of the log amends suggestion {}, which has no answer",
                                   sequence_ + 1, event.id));
}

void State::check(const Retracted& event) const {
  const SuggestionRecord& record = require_known(event.id, "retracted");
  if (record.status != SuggestionStatus::told || record.retracted)
    throw DamagedError(fmt::format("event {} of the log retracts suggestion {}, which has no valid answer",
                                   sequence_ + 1, event.id));
}

void State::check(const BudgetChanged& event) const {
  const double after = budget_ + event.by;
  if (!(after >= 0.0 && after <= largest_amount))
    throw DamagedError(fmt::format(
        "event {} of the log changes the budget from {} to {}, must be from 0 to {}", sequence_ + 1,
        shortest(budget_), std::isnan(after) ? "not a number" : shortest(after), largest_amount_text));
}

SuggestionRecord& State::record(std::int64_t id) {
  return suggestions_[static_cast<std::size_t>(id - 1)];
}

void State::take(const Created& event) {
  created_ = event;
  created_at_ = now_;
  budget_ = event.budget;
}

void State::take(const Asked& event) {
  suggestions_.push_back({.asked = event, .asked_at = now_, .told = {}, .values = {}, .reason = {}});
}

void State::take(const Told& event) {
  if (event.unasked)
    suggestions_.push_back(
        {.asked = asked_by_itself(event), .asked_at = now_, .told = {}, .values = {}, .reason = {}});
  SuggestionRecord& told = record(event.id);
  told.status = SuggestionStatus::told;
  told.told = event;
  told.told_at = now_;
  answered_.push_back(event.id);
  replace_values(told, event.values);
  if (!event.unasked) failures_in_a_row_ = 0;
  told.charged += event.cost;
  spent_ += event.cost;
}

void State::take(const Failed& event) {
  SuggestionRecord& failed = record(event.id);
  failed.status = SuggestionStatus::failed;
  failed.reason = event.reason;
  failed.charged += event.charge;
  spent_ += event.charge;
  ++failures_in_a_row_;
}

void State::take(const Released& event) {
  SuggestionRecord& released = record(event.id);
  released.status = SuggestionStatus::released;
  released.reason = event.reason;
}

void State::take(const Excluded& event) {
  excluded_.push_back(event);
}

void State::take(const Amended& event) {
  SuggestionRecord& amended = record(event.id);
  replace_values(amended, event.values);
  amended.reason = event.reason;
  amended.retracted = false;
  set_counted(event.id, true);
  fit_is_stale_ = must_plan_again_ = true;
}

// The charge is not refunded: it was spent.
void State::take(const Retracted& event) {
  SuggestionRecord& retracted = record(event.id);
  replace_values(retracted, {});
  retracted.reason = event.reason;
  retracted.retracted = true;
  set_counted(event.id, false);
  fit_is_stale_ = must_plan_again_ = true;
}

void State::replace_values(SuggestionRecord& record, const std::vector<double>& values) {
  annotations_ += static_cast<std::int64_t>(values.size()) - static_cast<std::int64_t>(record.values.size());
  record.values = values;
  static std::atomic<std::uint64_t> revisions = 0;
  answers_revision_ = ++revisions;
}

void State::take(const BudgetChanged& event) {
  budget_ += event.by;
  must_plan_again_ = true;
}

void State::take(const Fitted& event) {
  fitted_ = event;
  ++fits_;
  fit_is_stale_ = false;
  learned_since_plan_ = true;
}

void State::take(const Planned& event) {
  planned_ = event;
  must_plan_again_ = learned_since_plan_ = false;
}

bool State::plan_is_stale(bool after_every_fit) const {
  constexpr double part = 0.1;
  return must_plan_again_ || !planned_ || (after_every_fit && learned_since_plan_) ||
         planned_->remaining - free() >= part * budget_;
}

void State::take(const OwnerChanged& event) {
  owner_ = event;
  owner_since_ = now_;
  failures_in_a_row_ = 0;
}

// Summed every time in a fixed order: adding and subtracting would accumulate rounding errors.
double State::escrow() const {
  double sum = 0.0;
  for (const SuggestionRecord& one : suggestions_)
    if (one.status == SuggestionStatus::pending) sum += one.asked.reserved();
  return sum;
}

const SuggestionRecord* State::find(std::int64_t id) const {
  const bool there = id >= 1 && id <= static_cast<std::int64_t>(suggestions_.size());
  return there ? &suggestions_[static_cast<std::size_t>(id - 1)] : nullptr;
}

std::vector<std::int64_t> State::pending() const {
  std::vector<std::int64_t> ids;
  for (const SuggestionRecord& one : suggestions_)
    if (one.status == SuggestionStatus::pending) ids.push_back(one.asked.id);
  return ids;
}

std::vector<std::int64_t> State::lapsed(double now) const {
  std::vector<std::int64_t> ids;
  for (const SuggestionRecord& one : suggestions_)
    if (one.status == SuggestionStatus::pending && one.asked.lease_until && *one.asked.lease_until <= now)
      ids.push_back(one.asked.id);
  return ids;
}

std::int64_t State::failed() const {
  return std::count_if(suggestions_.begin(), suggestions_.end(),
                       [](const SuggestionRecord& one) { return one.status == SuggestionStatus::failed; });
}

}  // namespace acuity
