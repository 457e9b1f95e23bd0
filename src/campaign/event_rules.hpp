#pragma once

#include <unordered_map>
#include <unordered_set>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study.hpp"

// What an event must be. The same rules hold when it is written and when it is read again, so that nothing is
// written that could not be read, and nothing is replayed that could not have been written.

namespace acuity {

/// Later than this no event can be: dates are printed with four digits for the year.
inline constexpr double latest_time = 253402300799.0;
/// The length of one text of an event in bytes (the study's text excepted), and of the whole event as JSON.
inline constexpr std::size_t longest_text = std::size_t{1} << 20;
inline constexpr std::size_t longest_event = std::size_t{16} << 20;
/// The number of values that one answer may have.
inline constexpr std::size_t most_replicates = 100'000;
/// Squares of answers must be numbers, or nothing the model says would be one.
inline constexpr double largest_answer = 1e150;

/// What holds whatever campaign the event belongs to: numbers in range, texts in UTF-8. Throws InputError
/// with a sentence that does not name the event.
void require_valid(const Event& event);
/// The same for the time at which something happened.
void require_valid_time(double seconds_since_1970);

/// What a program said, as it may stand in an event: bytes that are no UTF-8 become "?", and what is too long
/// is cut off.
std::string as_event_text(std::string_view text);

/// What holds in a campaign with this study, which must outlive the rules.
class EventRules {
 public:
  explicit EventRules(const Study& study);

  /// What study and state say about the event that comes next; State::require() has the rest. Throws
  /// InputError as above.
  void require(const Event& event, const State& state) const;
  /// Of a state at the end of a transaction: everything pending can be asked about. Throws InputError.
  void require_answerable(const State& state) const;

 private:
  void check(const Created& event, const State& state) const;
  void check(const Asked& event, const State& state) const;
  void check(const Told& event, const State& state) const;
  void check(const Failed&, const State&) const {}
  void check(const Released&, const State&) const {}
  void check(const Excluded& event, const State& state) const;
  void check(const Amended& event, const State& state) const;
  void check(const Retracted&, const State&) const {}
  void check(const BudgetChanged&, const State&) const {}
  void check(const Fitted& event, const State& state) const;
  void check(const OwnerChanged&, const State&) const {}
  void require_row(Index row, Index lowest) const;
  void require_level(const std::string& level, std::optional<double> alpha) const;
  void require_channel(const Channel& channel) const;
  void require_values(const std::vector<double>& values) const;

  const Study& study_;
  std::unordered_set<std::string> names_;      // of the price list
  mutable std::unordered_set<double> alphas_;  // of the ladder that were found to have a price
  std::size_t kernel_parameters_ = 0;
};

/// An event by all rules: its own, those of the study and those of the state. Throws DamagedError with a
/// sentence that names the event's number.
void require_replayable(const StoredEvent& stored, const EventRules& rules, const State& state);
/// The state after these events, each checked by all rules. Throws DamagedError.
State replay(const std::vector<StoredEvent>& events, const EventRules& rules);

}  // namespace acuity
