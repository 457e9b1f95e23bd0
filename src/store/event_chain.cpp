#include "store/event_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "acuity/base/errors.hpp"
#include "base/checksum.hpp"
#include "store/event_limits.hpp"

namespace acuity {

namespace {

// Checksum of an event and all before it.
std::uint64_t chained(std::uint64_t chain, std::int64_t sequence, double time, const std::string& name,
                      const std::string& body) {
  base::Fnv1a sum(chain);
  sum.take(fmt::format("{} {} {} ", sequence, std::bit_cast<std::uint64_t>(time), name));
  sum.take(body);
  return sum.value();
}

}  // namespace

// Messages of a database may have several lines.
std::string damage_in(const std::string& log, const std::string& how) {
  return fmt::format("{}: it is damaged ({}); nothing was written to it", log, printable(how, 300));
}

EventChain::EventChain(std::string log) : log_(std::move(log)), sum_(base::Fnv1a().value()) {}

std::int64_t EventChain::value() const {
  return std::bit_cast<std::int64_t>(sum_);
}

bool EventChain::is_head(std::int64_t count, std::int64_t chain) const {
  return count == count_ && chain == value();
}

void EventChain::damaged(const std::string& how) const {
  throw DamagedError(damage_in(log_, how));
}

void EventChain::require_length(std::int64_t sequence, std::size_t name_bytes, std::size_t body_bytes) const {
  if (name_bytes > 1000 || body_bytes > longest_event)
    damaged(fmt::format("event {} is longer than {} bytes", sequence, longest_event));
}

StoredEvent EventChain::event_in(const LogRow& row) const {
  try {
    StoredEvent stored{row.sequence, row.time, event_from_json(row.name, row.body)};
    require_valid_time(stored.time);
    require_valid(stored.event);
    return stored;
  } catch (const NewerVersionError& error) {
    throw NewerVersionError(
        fmt::format("{}: event {} {}, which this version ({}) of acuity does not know; it was probably "
                    "written by a newer "
                    "version, which must be used for it; nothing was written to it",
                    log_, row.sequence, error.what(), ACUITY_VERSION));
  } catch (const DamagedError& error) {
    damaged(fmt::format("event {} {}", row.sequence, error.what()));
  } catch (const InputError& error) {
    damaged(fmt::format("event {} (\"{}\"): {}", row.sequence, row.name, error.what()));
  }
}

void EventChain::read_into(std::vector<StoredEvent>& events, std::int64_t after, const EachRow& each_row) {
  // Starts at the last verified event, because checksums depend on those before.
  std::int64_t expected = std::min(after, count_);
  each_row(expected, [&](const LogRow& row) {
    if (row.sequence != ++expected) damaged(fmt::format("event {} is missing", expected));
    if (row.sequence > count_) {
      sum_ = chained(sum_, row.sequence, row.time, row.name, row.body);
      if (value() != row.chain) damaged(fmt::format("event {} does not match its checksum", row.sequence));
      count_ = row.sequence;
      time_ = row.time;
    }
    if (row.sequence > after) events.push_back(event_in(row));
  });
}

LogRow EventChain::append(const StoredEvent& added) {
  require_valid_time(added.time);
  require_valid(added.event);
  LogRow row{added.sequence, added.time, event_name(added.event), to_json(added.event), 0};
  if (row.body.size() > longest_event)
    throw InputError(fmt::format("an event \"{}\" has {} bytes, must have at most {}", row.name,
                                 row.body.size(), longest_event));
  sum_ = chained(sum_, row.sequence, row.time, row.name, row.body);
  count_ = row.sequence;
  time_ = row.time;
  row.chain = value();
  return row;
}

void EventChain::inspect(LogInspection& found, const EachRow& each_row) {
  const auto note = [&](const std::string& how) { found.complain(damage_in(log_, how)); };
  each_row(0, [&](const LogRow& row) {
    ++found.count;
    const bool follows = row.sequence == ++count_;  // if not, the checksum before it is unknown
    if (!follows)
      note(row.sequence == count_ + 1 ? fmt::format("event {} is missing", count_)
                                      : fmt::format("events {} to {} are missing", count_, row.sequence - 1));
    count_ = row.sequence;
    const std::uint64_t sum = chained(sum_, row.sequence, row.time, row.name, row.body);
    if (follows && std::bit_cast<std::int64_t>(sum) != row.chain)
      note(fmt::format("event {} does not match its checksum", row.sequence));
    sum_ = std::bit_cast<std::uint64_t>(row.chain);
    try {
      found.events.push_back(event_in(row));
    } catch (const DamagedError& error) {
      found.complain(error.what());
    }
  });
}

void LogInspection::complain(std::string sentence) {
  ++problem_count;
  if (problems.size() < most_problems) problems.push_back(std::move(sentence));
}

}  // namespace acuity
