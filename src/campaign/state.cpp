#include "acuity/campaign/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/data/money.hpp"
#include "store/worker_name.hpp"

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

const std::string& SuggestionRecord::worker() const {
  return told && !told->worker.empty() ? told->worker : asked.worker;
}

bool is_person(const std::string& worker) {
  return !worker.empty() && !worker_name::is_program(worker);
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
  if (find(id)->is_withheld()) return;
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
  if (!event.replaces) return;
  const SuggestionRecord& replaced = require_known(*event.replaces, "continued");
  if (replaced.values.size() != 1 || replaced.row() != event.row)
    throw DamagedError(
        fmt::format("event {} of the log continues suggestion {}, which has no single answer at that point",
                    sequence_ + 1, *event.replaces));
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
  if (require_known(event.id, "released").status != SuggestionStatus::failed)
    require_pending(event.id, "released");
}

void State::check(const Amended& event) const {
  const SuggestionRecord& record = require_known(event.id, "amended");
  const bool only_money = event.values.empty() && !event.moves_answer();
  if (record.status != SuggestionStatus::told && !(only_money && record.status == SuggestionStatus::failed))
    throw DamagedError(fmt::format("event {} of the log amends suggestion {}, which has no answer",
                                   sequence_ + 1, event.id));
  if (!only_money) require_not_replaced(record, "amends");
  const double answer = record.told ? record.told->cost : 0.0;
  const double paid = record.told ? record.failure_charge + event.cost.value_or(answer)
                                  : event.cost.value_or(record.failure_charge);
  const double after = paid - record.refunded - event.refund.value_or(0.0);
  if (!(after >= -1e-9 * paid && spent_ - record.charged + after <= largest_amount))
    throw DamagedError(
        fmt::format("event {} of the log leaves suggestion {} with a charge of {}, must be 0 or more",
                    sequence_ + 1, event.id, std::isnan(after) ? "not a number" : shortest(after)));
}

void State::require_not_replaced(const SuggestionRecord& record, const char* what) const {
  if (record.replaced_by)
    throw DamagedError(fmt::format("event {} of the log {} suggestion {}, whose answer was replaced by {}",
                                   sequence_ + 1, what, record.asked.id, *record.replaced_by));
}

void State::check(const Retracted& event) const {
  const SuggestionRecord& record = require_known(event.id, "retracted");
  if (record.status != SuggestionStatus::told || record.retracted)
    throw DamagedError(fmt::format("event {} of the log retracts suggestion {}, which has no valid answer",
                                   sequence_ + 1, event.id));
  require_not_replaced(record, "retracts");
}

void State::check(const BudgetChanged& event) const {
  const double after = budget_ + event.by;
  if (!(after >= 0.0 && after <= largest_amount))
    throw DamagedError(fmt::format(
        "event {} of the log changes the budget from {} to {}, must be from 0 to {}", sequence_ + 1,
        shortest(budget_), std::isnan(after) ? "not a number" : shortest(after), largest_amount_text));
}

void State::check(const Renewed& event) const {
  require_pending(event.id, "renewed");
}

void State::check(const Audited& event) const {
  for (const std::int64_t id : event.ids)
    if (const SuggestionRecord& record = require_known(id, "audited");
        !record.asked.audit || record.was_audited || record.status != SuggestionStatus::told)
      throw DamagedError(fmt::format(
          "event {} of the log audits suggestion {}, which has no answer of an audit", sequence_ + 1, id));
}

void State::check(const StudyChanged& event) const {
  if (!created_.study.empty() && event.before != created_.study)
    throw DamagedError(
        fmt::format("event {} of the log changes another study than the campaign's", sequence_ + 1));
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
  add_suggestion(event);
}

void State::add_suggestion(const Asked& asked) {
  suggestions_.push_back({.asked = asked, .asked_at = now_, .told = {}, .values = {}, .reason = {}});
  pending_.push_back(asked.id);
  if (!asked.gold && !asked.audit) ++told_or_pending_;
}

// No suggestion becomes pending again.
void State::set_status(SuggestionRecord& record, SuggestionStatus status) {
  const auto counts = [](SuggestionStatus one) {
    return one == SuggestionStatus::told || one == SuggestionStatus::pending;
  };
  if (!record.asked.gold && !record.asked.audit)
    told_or_pending_ += (counts(status) ? 1 : 0) - (counts(record.status) ? 1 : 0);
  record.status = status;
  const auto found = std::lower_bound(pending_.begin(), pending_.end(), record.asked.id);
  if (found != pending_.end() && *found == record.asked.id) pending_.erase(found);
}

void State::take(const Told& event) {
  if (event.unasked) add_suggestion(asked_by_itself(event));
  SuggestionRecord& told = record(event.id);
  set_status(told, SuggestionStatus::told);
  told.told = event;
  told.told_at = now_;
  told.cannot_tell = told.inconclusive = false;
  told.seconds.reset();
  if (!told.is_withheld()) answered_.push_back(event.id);
  replace_values(told, event.values);
  if (!event.unasked) failures_in_a_row_ = 0;
  told.charged += event.cost;
  spent_ += event.cost;
  replace_answer(event.id);
}

std::int64_t State::successor(std::int64_t id) const {
  while (find(id)->replaced_by) id = *find(id)->replaced_by;
  return id;
}

// An answer to a run that was continued takes the place of the answer that it continues, or of one that did
// so before. An answer about another point has continued nothing.
void State::replace_answer(std::int64_t by) {
  SuggestionRecord& after = record(by);
  if (!after.asked.replaces) return;
  const std::int64_t id = successor(*after.asked.replaces);
  SuggestionRecord& before = record(id);
  const bool is_same_place =
      after.row() == before.row() && (after.row() >= 0 || after.told->inputs == before.told->inputs);
  if (id == by || before.values.empty() || !is_same_place) return;
  before.replaced_values = before.values;
  before.replaced_by = by;
  after.replaced = id;
  replace_values(before, {});
  set_counted(id, false);
  answers_corrected();
}

void State::restore_answer(std::int64_t replaced_by) {
  SuggestionRecord& after = record(replaced_by);
  if (!after.replaced) return;
  SuggestionRecord& before = record(*after.replaced);
  replace_values(before, before.replaced_values);
  before.replaced_by.reset();
  before.replaced_values.clear();
  set_counted(*after.replaced, true);
  after.replaced.reset();
}

void State::take(const Failed& event) {
  SuggestionRecord& failed = record(event.id);
  set_status(failed, SuggestionStatus::failed);
  failed.reason = event.reason;
  failed.failure_charge += event.charge;
  failed.charged += event.charge;
  failed.cannot_tell = event.cannot_tell;
  failed.inconclusive = event.inconclusive;
  failed.seconds = event.seconds;
  spent_ += event.charge;
  if (!event.cannot_tell) ++failures_in_a_row_;
}

void State::take(const Released& event) {
  SuggestionRecord& released = record(event.id);
  if (released.status == SuggestionStatus::failed) ++rewrites_;  // its point competes again
  released.cannot_tell = released.inconclusive = false;
  set_status(released, SuggestionStatus::released);
  released.reason = event.reason;
}

void State::take(const Excluded& event) {
  excluded_.push_back(event);
}

void State::take(const Amended& event) {
  SuggestionRecord& amended = record(event.id);
  answers_corrected();
  amended.reason = event.reason;
  must_plan_again_ = true;
  if (amended.told && (event.cost || event.moves_answer())) {
    if (!amended.first_told) amended.first_told = amended.told;
    Told& told = *amended.told;
    if (event.row || event.inputs) {
      told.row = event.row;
      told.inputs = event.inputs;
      told.base_noise = event.base_noise;
    }
    if (!event.level.empty()) told.level = event.level;
    if (event.alpha) told.alpha = event.alpha;
    if (!event.level.empty() || event.alpha) amended.kept_noise.reset();
    if (event.channel || event.declared_channel) told.channel = event.channel;
  }
  if (!event.values.empty()) {
    replace_values(amended, event.values);
    if (amended.retracted) replace_answer(event.id);
    amended.retracted = false;
    set_counted(event.id, true);
  }
  if (event.cost && amended.told) {
    amended.told->cost = *event.cost;
    if (!amended.values.empty()) amended.told->values = amended.values;  // the cost is that of these values
  }
  if (event.cost && !amended.told) amended.failure_charge = *event.cost;
  amended.refunded += event.refund.value_or(0.0);
  if (event.cost || event.refund) {
    const double paid = amended.failure_charge + (amended.told ? amended.told->cost : 0.0);
    amended.charged = std::max(0.0, paid - amended.refunded);
    spent_ = 0.0;  // summed again: differences would leave rounding errors
    for (const SuggestionRecord& one : suggestions_) spent_ += one.charged;
  }
  if (event.moves_answer()) ++rewrites_;
  if (!event.values.empty() || event.moves_answer()) fit_is_stale_ = true;
}

// The charge is not refunded: it was spent.
void State::take(const Retracted& event) {
  SuggestionRecord& retracted = record(event.id);
  answers_corrected();
  replace_values(retracted, {});
  retracted.reason = event.reason;
  retracted.retracted = true;
  set_counted(event.id, false);
  restore_answer(event.id);
  fit_is_stale_ = must_plan_again_ = true;
}

// Answers to gold items are none for the model, answers of the audit not yet.
void State::replace_values(SuggestionRecord& record, const std::vector<double>& values) {
  if (!record.is_withheld())
    annotations_ +=
        static_cast<std::int64_t>(values.size()) - static_cast<std::int64_t>(record.values.size());
  record.values = values;
  answers_changed();
}

void State::answers_changed() {
  static std::atomic<std::uint64_t> revisions = 0;
  answers_revision_ = ++revisions;
}

void State::answers_corrected() {
  answers_changed();
  corrections_revision_ = answers_revision_;
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
  fitted_before_plan_ = fitted_;
  must_plan_again_ = learned_since_plan_ = false;
}

bool State::plan_is_stale(bool after_every_fit, double kept) const {
  constexpr double part = 0.1;
  return must_plan_again_ || !planned_ || (after_every_fit && learned_since_plan_) ||
         planned_->remaining - (free() - kept) >= part * budget_;
}

void State::take(const Audited& event) {
  for (const std::int64_t id : event.ids) {
    SuggestionRecord& audited = record(id);
    audited.was_audited = true;
    annotations_ += static_cast<std::int64_t>(audited.values.size());
    set_counted(id, !audited.values.empty());
  }
  answers_changed();
  must_plan_again_ = true;
  audited_ = event;
}

void State::take(const OwnerChanged& event) {
  owner_seen_ = now_;
  const bool goes_on = !event.host.empty() && owner_.is_same_process(event);
  owner_ = event;
  if (goes_on) return;  // a sign of life
  owner_since_ = now_;
  failures_in_a_row_ = 0;
}

void State::take(const StudyChanged& event) {
  created_.study = event.study;
  created_.study_checksum = event.study_checksum;
  created_.pool_checksum = event.pool_checksum;
  created_.pool_blocks = event.pool_blocks;
  created_.name = event.name;
  for (std::size_t k = 0; k < event.tables.size(); ++k) tables_[event.tables[k]] = event.table_checksums[k];
  if (event.budget) budget_ = *event.budget;
  changes_.push_back({now_, annotations_, spent_, event.changes});
  for (std::size_t k = 0; k < event.kept_levels.size(); ++k)
    for (SuggestionRecord& one : suggestions_)
      if (!one.kept_noise && one.level() == event.kept_levels[k]) one.kept_noise = event.kept_noise[k];
  if (event.reinterprets)
    for (SuggestionRecord& one : suggestions_) one.kept_noise.reset();
  ++rewrites_;
  answers_corrected();
  if (event.plans_again || event.learns_again) {
    planned_.reset();
    must_plan_again_ = true;
  }
  if (!event.learns_again) return;
  fitted_.reset();
  fit_is_stale_ = true;
}

void State::take(const Renewed& event) {
  record(event.id).asked.lease_until = event.lease_until;
}

void State::take(const PersonAdded& event) {
  Person person{event.name, event.levels, event.active};
  const auto known =
      std::find_if(people_.begin(), people_.end(), [&](const Person& one) { return one.name == event.name; });
  if (known == people_.end())
    people_.push_back(std::move(person));
  else
    *known = std::move(person);
}

const Person* State::find_person(const std::string& name) const {
  const auto found =
      std::find_if(people_.begin(), people_.end(), [&](const Person& one) { return one.name == name; });
  return found == people_.end() ? nullptr : &*found;
}

// Summed every time in a fixed order: adding and subtracting would accumulate rounding errors.
double State::escrow() const {
  double sum = 0.0;
  for (const std::int64_t id : pending_) sum += find(id)->asked.reserved();
  return sum;
}

const SuggestionRecord* State::find(std::int64_t id) const {
  const bool there = id >= 1 && id <= static_cast<std::int64_t>(suggestions_.size());
  return there ? &suggestions_[static_cast<std::size_t>(id - 1)] : nullptr;
}

std::vector<std::int64_t> State::lapsed(double now) const {
  std::vector<std::int64_t> ids;
  for (const std::int64_t id : pending_)
    if (const auto& until = find(id)->asked.lease_until; until && *until <= now) ids.push_back(id);
  return ids;
}

std::int64_t State::failed() const {
  return std::count_if(suggestions_.begin(), suggestions_.end(), [](const SuggestionRecord& one) {
    return one.status == SuggestionStatus::failed && !one.cannot_tell;
  });
}

std::int64_t State::cannot_tell() const {
  return std::count_if(suggestions_.begin(), suggestions_.end(),
                       [](const SuggestionRecord& one) { return one.cannot_tell; });
}

std::int64_t State::replaced() const {
  return std::count_if(suggestions_.begin(), suggestions_.end(),
                       [](const SuggestionRecord& one) { return one.replaced_by.has_value(); });
}

}  // namespace acuity
