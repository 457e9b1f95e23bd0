#include "acuity/campaign/state.hpp"

#include <fmt/format.h>

#include "acuity/numerics/errors.hpp"

namespace acuity {

void State::apply(const StoredEvent& stored) {
  if (stored.sequence != sequence_ + 1)
    throw StoreError(fmt::format("event {} of the log follows event {}", stored.sequence, sequence_));
  if ((stored.sequence == 1) != std::holds_alternative<Created>(stored.event))
    throw StoreError(
        fmt::format("event {} of the log is \"{}\", must be \"created\" at the beginning and there only",
                    stored.sequence, event_name(stored.event)));
  std::visit([this](const auto& event) { take(event); }, stored.event);
  sequence_ = stored.sequence;
}

SuggestionRecord& State::record(std::int64_t id, const char* what) {
  if (id < 1 || id > static_cast<std::int64_t>(suggestions_.size()))
    throw StoreError(fmt::format("event {} of the log has suggestion {} {}, which was never asked for",
                                 sequence_ + 1, id, what));
  return suggestions_[static_cast<std::size_t>(id - 1)];
}

SuggestionRecord& State::pending_record(std::int64_t id, const char* what) {
  SuggestionRecord& found = record(id, what);
  if (found.status != SuggestionStatus::pending)
    throw StoreError(fmt::format("event {} of the log has suggestion {} {}, which is not pending",
                                 sequence_ + 1, id, what));
  return found;
}

void State::take(const Created& event) {
  created_ = event;
  budget_ = event.budget;
}

void State::take(const Asked& event) {
  if (event.id != next_id())
    throw StoreError(fmt::format("event {} of the log asks for suggestion {}, must be {}", sequence_ + 1,
                                 event.id, next_id()));
  suggestions_.push_back(
      {.asked = event, .row = event.row, .channel = event.channel, .values = {}, .reason = {}});
}

// Also of what was released or failed meanwhile: it is a true measurement, and was paid for.
void State::take(const Told& event) {
  SuggestionRecord& told = record(event.id, "told");
  if (told.status == SuggestionStatus::told)
    throw StoreError(fmt::format("event {} of the log tells suggestion {} again", sequence_ + 1, event.id));
  told.status = SuggestionStatus::told;
  told.values = event.values;
  if (event.channel) told.channel = *event.channel;
  if (event.row) told.row = *event.row;
  told.charged += event.cost;
  spent_ += event.cost;
}

void State::take(const Failed& event) {
  SuggestionRecord& failed = pending_record(event.id, "failed");
  failed.status = SuggestionStatus::failed;
  failed.reason = event.reason;
  failed.charged += event.charge;
  spent_ += event.charge;
  ++failures_;
}

void State::take(const Released& event) {
  SuggestionRecord& released = pending_record(event.id, "released");
  released.status = SuggestionStatus::released;
  released.reason = event.reason;
}

void State::take(const Excluded& event) {
  excluded_.push_back(event);
}

void State::take(const Amended& event) {
  SuggestionRecord& amended = record(event.id, "amended");
  if (amended.status != SuggestionStatus::told)
    throw StoreError(
        fmt::format("event {} of the log amends suggestion {}, which was not told", sequence_ + 1, event.id));
  amended.values = event.values;
  amended.reason = event.reason;
  amended.retracted = false;
}

// Money is not refunded: it was spent.
void State::take(const Retracted& event) {
  SuggestionRecord& retracted = record(event.id, "retracted");
  if (retracted.status != SuggestionStatus::told || retracted.retracted)
    throw StoreError(
        fmt::format("event {} of the log retracts suggestion {}, which has no answer that counts",
                    sequence_ + 1, event.id));
  retracted.values.clear();
  retracted.reason = event.reason;
  retracted.retracted = true;
}

void State::take(const BudgetChanged& event) {
  budget_ += event.by;
}

void State::take(const Fitted& event) {
  fitted_ = event;
}

void State::take(const OwnerChanged& event) {
  owner_ = event;
}

// Summed anew, in one order: adding and taking away would leave rounding behind.
double State::escrow() const {
  double sum = 0.0;
  for (const SuggestionRecord& one : suggestions_)
    if (one.status == SuggestionStatus::pending) sum += one.asked.cost;
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

std::int64_t State::annotations() const {
  std::int64_t count = 0;
  for (const SuggestionRecord& one : suggestions_) count += static_cast<std::int64_t>(one.values.size());
  return count;
}

}  // namespace acuity
