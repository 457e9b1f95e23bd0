#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/pool.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/selection/candidates.hpp"
#include "acuity/selection/plan.hpp"
#include "acuity/selection/selector.hpp"
#include "acuity/selection/suggestion.hpp"

namespace acuity ACUITY_PUBLIC {

struct SelectionSessionOptions {
  double budget = std::numeric_limits<double>::infinity();
  bool repeat_points = false;  ///< a point may be chosen again
  int threads = 0;             ///< 0 means all processors
};

/// Repeatedly selects the next annotation on a pool in memory, and keeps the belief, the candidates and the
/// pending annotations consistent. Campaign does this with a durable log.
///
/// Invalid arguments throw std::invalid_argument. A call that throws leaves the session unchanged.
class SelectionSession {
 public:
  /// `belief` is about the points of `pool`, given the annotations known so far; `offer` has one noise per
  /// point.
  SelectionSession(Pool pool, std::unique_ptr<PoolBelief> belief, Offer offer, Acquisition acquisition = {},
                   const SelectionSessionOptions& options = {});
  SelectionSession(const SelectionSession&) = delete;
  SelectionSession& operator=(const SelectionSession&) = delete;

  /// The best choice now, or nothing if no candidate is left. Nothing is bought before expect() or tell().
  std::optional<Suggestion> next();
  /// Up to `count` to ask for at once, each the best given that those before it will be answered.
  std::vector<Suggestion> next(Index count);
  /// Plans the rest of the budget (docs/math.md 17) and chooses with the best weight of prices from now on.
  BudgetPlan plan(double seconds = std::numeric_limits<double>::infinity());
  /// A suggestion chosen by the caller: a pool row at a level of the offer. The row may be closed.
  Suggestion at(Index row, Index level);

  /// Marks a suggestion as pending: its cost is spent, and later suggestions take the coming answer into
  /// account.
  void expect(const Suggestion& suggestion);
  /// Records the answer to a suggestion, pending or not. `cost`: the actual cost, if it differs from the
  /// price.
  void tell(const Suggestion& suggestion, double answer, std::optional<double> cost = std::nullopt);
  /// Gives up a pending suggestion: it becomes a candidate again, and its cost is returned.
  void release(const Suggestion& suggestion);
  /// Excludes a point from later suggestions.
  void close(Index row);

  /// Mean and variance of f at every pool point, given the answers and the pending suggestions.
  const Marginals& marginals() { return belief_->marginals(); }
  /// Every open point at its best level.
  std::vector<Score> scores();
  double remaining() const { return candidates_.remaining(); }

 private:
  struct Pending {
    AnnotationHandle handle;
    Suggestion suggestion;
  };
  using PendingById = std::map<std::int64_t, Pending>;

  Suggestion number(Suggestion suggestion);
  AnnotationHandle buy(const Suggestion& suggestion, std::optional<double> answer, double cost);
  PendingById::iterator find_pending(const Suggestion& suggestion);
  std::optional<Index> level_of(const Suggestion& suggestion) const;
  void require_row(Index row) const;

  Pool pool_;
  std::unique_ptr<PoolBelief> belief_;
  Offer offer_;
  Acquisition acquisition_;
  int threads_;
  Candidates candidates_;
  Selector selector_;
  std::int64_t next_id_ = 1;
  PendingById pending_;
};

}  // namespace acuity ACUITY_PUBLIC
