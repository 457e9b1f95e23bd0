#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/event_store.hpp"

namespace acuity {

enum class SuggestionStatus { pending, told, failed, released };

/// What became of a suggestion.
struct SuggestionRecord {
  Asked asked;
  SuggestionStatus status = SuggestionStatus::pending;
  Index row = 0;               ///< what was done: as asked unless told otherwise
  Channel channel;             ///< likewise
  std::vector<double> values;  ///< as they count now; empty: no answer, or it was retracted
  double charged = 0.0;
  std::string reason;  ///< of the last failure, release, amendment or retraction
  bool retracted = false;
};

/// Where a campaign stands: what its events add up to, and nothing else. Applying the same events gives the
/// same state, on every machine (docs/design.md 5).
class State {
 public:
  /// Throws StoreError where the event cannot follow those before it: the log is none that was kept by the
  /// rules.
  void apply(const StoredEvent& stored);

  /// How many events it has seen.
  std::int64_t sequence() const { return sequence_; }

  const Created& created() const { return created_; }
  double budget() const { return budget_; }
  double spent() const { return spent_; }  ///< charges in the order they came
  double escrow() const;                   ///< costs of what is pending, by id
  double free() const { return budget_ - spent_ - escrow(); }

  /// By id, which count from 1.
  const std::vector<SuggestionRecord>& suggestions() const { return suggestions_; }
  /// Null where no such suggestion was made.
  const SuggestionRecord* find(std::int64_t id) const;
  std::vector<std::int64_t> pending() const;
  /// Those pending whose lease has ended.
  std::vector<std::int64_t> lapsed(double now) const;
  std::int64_t next_id() const { return static_cast<std::int64_t>(suggestions_.size()) + 1; }

  std::int64_t annotations() const;  ///< answers that count, replicates one by one
  std::int64_t failures() const { return failures_; }
  const std::vector<Excluded>& excluded() const { return excluded_; }
  const std::optional<Fitted>& fitted() const { return fitted_; }
  /// Nobody where the host is empty.
  const OwnerChanged& owner() const { return owner_; }

 private:
  void take(const Created& event);
  void take(const Asked& event);
  void take(const Told& event);
  void take(const Failed& event);
  void take(const Released& event);
  void take(const Excluded& event);
  void take(const Amended& event);
  void take(const Retracted& event);
  void take(const BudgetChanged& event);
  void take(const Fitted& event);
  void take(const OwnerChanged& event);
  SuggestionRecord& record(std::int64_t id, const char* what);
  SuggestionRecord& pending_record(std::int64_t id, const char* what);

  std::int64_t sequence_ = 0;
  Created created_;
  double budget_ = 0.0, spent_ = 0.0;
  std::int64_t failures_ = 0;
  std::vector<SuggestionRecord> suggestions_;
  std::vector<Excluded> excluded_;
  std::optional<Fitted> fitted_;
  OwnerChanged owner_;
};

}  // namespace acuity
