#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study.hpp"
#include "store/event_limits.hpp"

// The rules for valid events that depend on study and state; store/event_limits.hpp has the others. They are
// checked when an event is written and when it is read, so that nothing is written that could not be read,
// and nothing is replayed that could not have been written.

namespace acuity {

/// The rules of a campaign with this study, which must outlive this object.
class EventRules {
 public:
  /// `changes`: how many changes of the study it includes. Of events before the last one it is not checked
  /// that they fit the levels of a ladder, the model and the plan, which were others then.
  explicit EventRules(const Study& study, std::size_t changes = 0);

  /// Checks the rules for the next event that depend on study and state; State::require() checks the others.
  /// Throws InputError with a message that does not name the event.
  void require(const Event& event, const State& state) const;
  /// Throws InputError if a suggestion that is pending at the end of a transaction could not be answered.
  void require_answerable(const State& state) const;
  std::size_t changes() const { return changes_; }

 private:
  void check(const Created& event, const State& state) const;
  void check(const Asked& event, const State& state) const;
  void check(const Told& event, const State& state) const;
  void check_unasked(const Told& event) const;
  void check(const Failed&, const State&) const {}
  void check(const Released&, const State&) const {}
  void check(const Excluded& event, const State& state) const;
  void check(const Amended& event, const State& state) const;
  void check(const Retracted&, const State&) const {}
  void check(const BudgetChanged&, const State&) const {}
  void check(const Fitted& event, const State& state) const;
  void check(const OwnerChanged&, const State&) const {}
  void check(const Planned& event, const State& state) const;
  void check(const StudyChanged& event, const State& state) const;
  void check(const Renewed&, const State&) const {}
  void check(const PersonAdded& event, const State& state) const;
  void check(const Audited&, const State&) const {}
  bool is_former(const State& state) const { return state.changes().size() < changes_; }
  void require_row(Index row, Index lowest) const;
  void require_level(const State& state, const std::string& level, std::optional<double> alpha) const;
  void require_channel(const Channel& channel) const;
  std::size_t parameters_of(const FittedStructure& one) const;
  void require_values(const std::vector<double>& values) const;

  const Study& study_;
  std::unordered_set<std::string> names_;      // of the levels of the price list
  mutable std::unordered_set<double> alphas_;  // precisions of the ladder that are known to have a price
  std::shared_ptr<const Kernel> kernel_;       // of the study, before anything is learned
  std::size_t changes_ = 0;
};

/// Checks an event by all rules: its own, those of the study and those of the state. Throws DamagedError with
/// a message that has the number of the event.
void require_replayable(const StoredEvent& stored, const EventRules& rules, const State& state);
/// The number of changes of the study in these events.
std::size_t changes_in(const std::vector<StoredEvent>& events);
/// The state after these events, each checked by all rules. Throws DamagedError.
State replay(const std::vector<StoredEvent>& events, const EventRules& rules);

}  // namespace acuity
