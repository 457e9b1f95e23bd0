#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "acuity/selection/candidates.hpp"

namespace acuity {

/// The rows that a person was asked about or has answered, except questions that were released. A second
/// answer of the same person to the same question is no further evidence.
std::set<Index> rows_of_worker(const std::string& worker, const State& state);

/// What an ask may be given: the person who asks, the level and the capacity of the ask restrict it.
class AskScope {
 public:
  /// Throws InputError if the person was removed, or if the level is not on offer or not one of the person's.
  AskScope(const Study& study, const State& state, const AskOptions& options);

  const Study& study() const { return study_; }
  /// False if the ask may be given every candidate.
  bool is_restricted() const { return level_ || !levels_.empty() || once_each_ || room_; }
  /// The only level, if there is one.
  const std::optional<Index>& level() const { return level_; }
  /// The levels of the person who asks, if there are several. Empty: every level, or the only one.
  const std::vector<Index>& levels() const { return levels_; }
  /// True if no row may be given twice.
  bool once_each() const { return once_each_; }
  /// The units that are left of the capacity. Absent: the ask has no capacity.
  const std::optional<std::int64_t>& room() const { return room_; }

  /// Whether the ask may be given the level, however many units are left.
  bool has_level(Index level) const;
  /// As has_level(), if the level also fits into the units that are left.
  bool allows(Index level) const;
  /// Closes the rows and levels that the ask may not be given.
  void apply_to(Candidates& candidates) const;
  /// Subtracts the units of a suggestion from the capacity, if there is one.
  void use_units(std::int64_t units);

  /// Why nothing is left for this ask although `everything`, what others may be asked, has a candidate.
  std::string why_nothing_here(const Offer& offer, const Candidates& everything) const;

 private:
  void set_level(const std::string& name);
  void set_alpha(const std::string& text);
  std::string why_no_level(const Offer& offer, const Candidates& everything) const;
  std::string why_not_at_level(const Level& level, const Candidates& everything) const;
  std::string where_nothing_is_open(const Offer& offer) const;

  const Study& study_;
  std::string worker_;
  std::optional<Index> level_;
  std::vector<Index> levels_;
  bool once_each_ = false;
  std::set<Index> not_again_;  // rows that the person has had
  std::optional<std::int64_t> room_;
};

/// The candidates of one ask. Points that failed and have no answer since are among all(), not among
/// first(): they are asked for if nothing else is left. Where failures are learned (RunFailures) only those
/// wait whose failure tells nothing.
class RoundCandidates {
 public:
  /// `open`: what every ask may be given. The scope must outlive it.
  RoundCandidates(Candidates open, const State& state, const AskScope& scope);

  const Candidates& first() const { return first_ ? *first_ : all_; }
  const Candidates& all() const { return all_; }
  /// Whether all() has points that first() leaves out because they failed.
  bool has_failed_points() const { return first_.has_value(); }
  /// What others may be asked, if this ask may not be given everything.
  const std::optional<Candidates>& of_others() const { return of_others_; }
  /// of_others() or, if this ask may be given everything, all().
  const Candidates& of_everyone() const { return of_others_ ? *of_others_ : all_; }

  void buy(const Score& chosen, double reserved);
  /// Pays for a question that closes nothing.
  void charge(double reserved);
  /// Closes what the scope does not allow any more, for example because fewer units are left.
  void apply_scope();

 private:
  const AskScope& scope_;
  Candidates all_;
  std::optional<Candidates> first_, of_others_;
};

}  // namespace acuity
