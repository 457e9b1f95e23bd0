#pragma once

#include <functional>

#include "acuity/store/event_store.hpp"

namespace acuity {

/// An event as databases keep it.
struct LogRow {
  std::int64_t sequence = 0;
  double time = 0.0;
  std::string name, body;  ///< event_name(), to_json()
  std::int64_t chain = 0;  ///< checksum of this event and all before it
};

/// Calls visit(row) for each row after number `after`, in order.
using EachRow = std::function<void(std::int64_t after, const std::function<void(const LogRow&)>& visit)>;

/// The sentence about a damaged log.
std::string damage_in(const std::string& log, const std::string& how);

/// The checksums of a log. Each depends on all events before, so that damage is detected and not replayed.
/// All databases compute the same ones, so that a campaign can be copied from one to another. A value: to go
/// back to what was verified before a transaction, keep a copy.
class EventChain {
 public:
  /// Of an empty log; `log` is its name in sentences.
  explicit EventChain(std::string log);

  std::int64_t count() const { return count_; }  ///< number of events that were verified
  std::int64_t value() const;                    ///< the checksum after them
  double last_time() const { return time_; }     ///< of the last of them; 0 if there are none
  /// What the head of the log must say: if the end was cut off, the remaining checksums are still right.
  bool is_head(std::int64_t count, std::int64_t chain) const;

  /// Appends the events after number `after` to `events` and verifies those not verified before. Throws
  /// DamagedError or NewerVersionError; the events read until then are valid.
  void read_into(std::vector<StoredEvent>& events, std::int64_t after, const EachRow& each_row);

  /// Checks the next event and returns its row, to be written. Throws InputError.
  LogRow append(const StoredEvent& added);

  /// Checks row by row and notes every problem. After an event that does not match its checksum, the check
  /// continues from the stored checksum, so that later events can still be verified.
  void inspect(LogInspection& found, const EachRow& each_row);

  /// A damaged row may have any length: to be checked before it is copied.
  void require_length(std::int64_t sequence, std::size_t name_bytes, std::size_t body_bytes) const;
  [[noreturn]] void damaged(const std::string& how) const;

 private:
  StoredEvent event_in(const LogRow& row) const;

  std::string log_;
  std::int64_t count_ = 0;
  std::uint64_t sum_;
  double time_ = 0.0;
};

}  // namespace acuity
