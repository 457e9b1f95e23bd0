#pragma once

#include <optional>
#include <set>
#include <vector>

#include "acuity/campaign/state.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/selection/candidates.hpp"
#include "campaign/ask_scope.hpp"
#include "campaign/initial_design.hpp"

namespace acuity {

/// Draws the points of an initial design for one ask.
///
/// The pairs of the design come first, in their order. One that failed, or whose point was excluded, is made
/// good at another point. If no pair is open, the open row with the lowest random key follows, at the
/// cheapest level of the design. If the ask has one level, or the person who asks has several, the design is
/// asked for at these levels. If the design has none of these levels, its points are asked for at the only
/// level of the ask or at the person's cheapest level.
class InitialDraw {
 public:
  /// Everything but the state must outlive it.
  InitialDraw(const Study& study, const State& state, const StudyModel& model, const InitialDesign& design,
              const AskScope& scope);

  /// The next draw. Nothing if the design has no open point for this ask: choices by information follow.
  std::optional<Score> next(const Candidates& candidates, PoolBelief& belief) const;
  /// Takes a choice out of later draws. With pool.repeat its point stays a candidate.
  void take(const Score& chosen);

 private:
  using Pair = InitialDesign::Pair;

  void move_to_scope();
  bool is_free(const Pair& pair, const Candidates& candidates) const;
  bool is_taken(const Pair& pair) const;
  std::optional<Pair> first_free_pair(const Candidates& candidates) const;
  std::optional<Pair> replacement(const Candidates& candidates) const;
  bool is_too_large_for_room(const Candidates& candidates) const;
  std::optional<Index> free_row_of_lowest_key(const Candidates& candidates, Index level) const;
  std::optional<Score> score_of(const Pair& pair, const Candidates& candidates, PoolBelief& belief) const;

  const Study& study_;
  const StudyModel& model_;
  const InitialDesign& design_;
  const AskScope& scope_;
  std::vector<Pair> pairs_;  // of the design, at levels of the scope where the design has none of them
  Index level_;              // of the rows that are drawn after the pairs
  std::set<Pair> taken_;     // with an answer or pending; level -1: a level that is not on offer
};

}  // namespace acuity
