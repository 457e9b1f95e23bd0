#pragma once

#include <optional>

#include "acuity/campaign/state.hpp"
#include "acuity/selection/candidates.hpp"
#include "campaign/ask_scope.hpp"

namespace acuity {

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
