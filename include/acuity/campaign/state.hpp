#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/store/event_store.hpp"

namespace acuity ACUITY_PUBLIC {

enum class SuggestionStatus { pending, told, failed, released };

/// A suggestion with everything that happened to it.
struct SuggestionRecord {
  Asked asked;
  double asked_at = 0.0;  ///< seconds since 1970
  SuggestionStatus status = SuggestionStatus::pending;
  /// The answer, with place, level, noise and cost as corrected; its values are in `values`.
  std::optional<Told> told;
  std::optional<Told> first_told;  ///< as it was first recorded, if it was corrected
  double told_at = 0.0;            ///< seconds since 1970
  std::vector<double> values;      ///< valid now; empty: no answer, or it was retracted
  double charged = 0.0;            ///< for the answer and a failed attempt, less what was refunded
  double failure_charge = 0.0, refunded = 0.0;
  /// The noise variance (binary: accuracy) of its level when it was asked for, if the study has changed
  /// since.
  std::optional<double> kept_noise;
  std::string reason;  ///< of the last failure, release, amendment or retraction
  bool retracted = false;
  /// It failed because the person who was asked could not tell; no failure of the work.
  bool cannot_tell = false;
  /// It failed, which tells nothing about the point (Failed::inconclusive).
  bool inconclusive = false;
  std::optional<double> seconds = std::nullopt;  ///< that the person took for it, without an answer
  /// If its run was continued: the suggestion whose answer replaces this one's, which is not valid any more.
  std::optional<std::int64_t> replaced_by = std::nullopt;
  std::vector<double> replaced_values = {};  ///< valid before that
  /// The suggestion whose answer this one's replaces now.
  std::optional<std::int64_t> replaced = std::nullopt;
  bool was_audited = false;  ///< an answer of the audit that the model may learn from since

  /// Whether its answer is kept from the model.
  bool is_withheld() const { return asked.gold || (asked.audit && !was_audited); }

  // What was done: as asked for, unless the answer reports another point or level.
  Index row() const;  ///< -1: a point outside the pool
  const std::string& level() const;
  std::optional<double> alpha() const;
  /// Who answered, as far as is known: who was asked, unless the answer says somebody else.
  const std::string& worker() const;
};

/// Somebody who annotates.
struct Person {
  std::string name;
  std::vector<std::string> levels;  ///< of the price list; empty: any
  bool active = true;
};

/// False for programs, which may be asked about a point again (their errors are those of the level, not of a
/// person), for known answers, and if nobody is named.
bool is_person(const std::string& worker);

/// The suggestion that an answer without one, which is Told::unasked, stands for.
Asked asked_by_itself(const Told& event);

/// The state of a campaign: a pure function of its events. Applying the same events gives the same state on
/// every machine (docs/campaign-log.md).
class State {
 public:
  /// Throws DamagedError if the event cannot follow those before it. Rules that need the study are checked by
  /// EventRules.
  void require(const StoredEvent& stored) const;
  /// Calls require(), then updates the state.
  void apply(const StoredEvent& stored);

  /// Number of events applied.
  std::int64_t sequence() const { return sequence_; }

  /// The first event; text, checksums and name are those of the study as last changed.
  const Created& created() const { return created_; }
  double budget() const { return budget_; }
  double spent() const { return spent_; }  ///< sum of the charges, in the order of the events
  double escrow() const;                   ///< reserved for pending suggestions
  double free() const { return budget_ - spent_ - escrow(); }

  /// All suggestions; the one at index k has the id k + 1.
  const std::vector<SuggestionRecord>& suggestions() const { return suggestions_; }
  /// The suggestion whose answer is valid in place of this one's, if runs were continued; else itself.
  std::int64_t successor(std::int64_t id) const;
  /// Null if there is no suggestion with this id.
  const SuggestionRecord* find(std::int64_t id) const;
  std::vector<std::int64_t> pending() const { return pending_; }
  /// Pending suggestions whose lease has expired.
  std::vector<std::int64_t> lapsed(double now) const;
  std::int64_t next_id() const { return static_cast<std::int64_t>(suggestions_.size()) + 1; }

  /// Suggestions with a valid answer, in the order in which the answers were recorded.
  const std::vector<std::int64_t>& answered() const { return answered_; }
  /// Number of valid answers; every replicate counts.
  std::int64_t annotations() const { return annotations_; }
  /// Two states of this process with the same number have the same answers: every answer and every correction
  /// sets a new number. 0: no answer yet.
  std::uint64_t answers_revision() const { return answers_revision_; }
  /// Between two states of one campaign in this process with the same number, answers were only added.
  std::uint64_t corrections_revision() const { return corrections_revision_; }
  /// Number of suggestions with an answer, valid or not, or pending; without questions about gold items and
  /// of the audit.
  std::int64_t told_or_pending() const { return told_or_pending_; }
  std::int64_t failed() const;       ///< suggestions that failed and have no answer
  std::int64_t cannot_tell() const;  ///< suggestions to which the person who was asked had no answer
  std::int64_t replaced() const;     ///< answers that others have replaced
  std::int64_t failures_in_a_row() const { return failures_in_a_row_; }
  const std::vector<Excluded>& excluded() const { return excluded_; }
  const std::optional<Fitted>& fitted() const { return fitted_; }
  std::int64_t fits() const { return fits_; }  ///< how many times hyperparameters were learned
  /// True if an annotation was amended or retracted since the last fit.
  bool fit_is_stale() const { return fit_is_stale_; }
  /// The last plan of the budget.
  const std::optional<Planned>& planned() const { return planned_; }
  /// Whether answers were corrected, the budget changed or, if that counts, hyperparameters were learned
  /// since the last plan, or a tenth of the budget was spent or reserved. `kept`: money that is not planned.
  bool plan_is_stale(bool after_every_fit = true, double kept = 0.0) const;
  /// Whether hyperparameters were learned since the last plan, and those before it; absent: there were none.
  bool has_learned_since_plan() const { return learned_since_plan_; }
  const std::optional<Fitted>& fitted_before_plan() const { return fitted_before_plan_; }
  /// The process that runs the campaign; none if the host is empty.
  const OwnerChanged& owner() const { return owner_; }
  double owner_since() const { return owner_since_; }
  double owner_seen() const { return owner_seen_; }  ///< its last sign of life
  /// How often the past was changed in a way that values do not show: corrections of place, level or noise,
  /// and changes of the study.
  std::int64_t rewrites() const { return rewrites_; }
  /// The changes of the study, each in words.
  struct Change {
    double time = 0.0;
    std::int64_t annotations = 0;  ///< that were valid then
    double spent = 0.0;
    std::vector<std::string> words;
  };
  const std::vector<Change>& changes() const { return changes_; }
  /// Checksums of the goal and truth tables that changes have replaced, by name.
  const std::map<std::string, std::string>& tables() const { return tables_; }
  double created_at() const { return created_at_; }
  /// The last audit that was completed.
  const std::optional<Audited>& audited() const { return audited_; }
  /// Everybody who was added, in that order.
  const std::vector<Person>& people() const { return people_; }
  /// Null if nobody has this name.
  const Person* find_person(const std::string& name) const;

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
  void take(const Planned& event);
  void take(const StudyChanged& event);
  void take(const Renewed& event);
  void take(const PersonAdded& event);
  void take(const Audited& event);
  // Preconditions of the events; those without a check can always follow.
  void check(const Asked& event) const;
  void check(const Told& event) const;
  void check(const Failed& event) const;
  void check(const Released& event) const;
  void check(const Amended& event) const;
  void check(const Retracted& event) const;
  void check(const BudgetChanged& event) const;
  void check(const StudyChanged& event) const;
  void check(const Renewed& event) const;
  void check(const PersonAdded&) const {}
  void check(const Audited& event) const;
  void check(const Created&) const {}
  void check(const Excluded&) const {}
  void check(const Fitted&) const {}
  void check(const OwnerChanged&) const {}
  void check(const Planned&) const {}
  const SuggestionRecord& require_known(std::int64_t id, const char* what) const;
  void require_pending(std::int64_t id, const char* what) const;
  void require_charge(double amount) const;
  SuggestionRecord& record(std::int64_t id);
  void replace_values(SuggestionRecord& record, const std::vector<double>& values);
  void set_counted(std::int64_t id, bool counts);
  void replace_answer(std::int64_t by);
  void restore_answer(std::int64_t replaced_by);
  void require_not_replaced(const SuggestionRecord& record, const char* what) const;
  void answers_changed();
  void answers_corrected();
  void set_status(SuggestionRecord& record, SuggestionStatus status);
  void add_suggestion(const Asked& asked);

  std::int64_t sequence_ = 0;
  Created created_;
  double budget_ = 0.0, spent_ = 0.0;
  double now_ = 0.0;  // of the event being applied
  double created_at_ = 0.0, owner_since_ = 0.0;
  std::int64_t annotations_ = 0, failures_in_a_row_ = 0;
  std::vector<SuggestionRecord> suggestions_;
  std::vector<std::int64_t> pending_;  // ascending
  std::int64_t told_or_pending_ = 0;
  std::vector<std::int64_t> answered_;
  std::vector<Excluded> excluded_;
  std::optional<Fitted> fitted_;
  std::uint64_t answers_revision_ = 0, corrections_revision_ = 0;
  std::int64_t fits_ = 0;
  bool fit_is_stale_ = false;
  std::optional<Planned> planned_;
  std::optional<Fitted> fitted_before_plan_;
  bool must_plan_again_ = true, learned_since_plan_ = false;
  OwnerChanged owner_;
  double owner_seen_ = 0.0;
  std::int64_t rewrites_ = 0;
  std::vector<Change> changes_;
  std::map<std::string, std::string> tables_;
  std::vector<Person> people_;
  std::optional<Audited> audited_;
};

}  // namespace acuity ACUITY_PUBLIC
