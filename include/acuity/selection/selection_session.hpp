#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "acuity/data/pool.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/selection/candidates.hpp"
#include "acuity/selection/selector.hpp"
#include "acuity/selection/suggestion.hpp"

namespace acuity {

struct SelectionSessionOptions {
  double budget = std::numeric_limits<double>::infinity();
  bool repeat_points = false;  ///< a point may be chosen again
  int threads = 0;             ///< 0 means all the machine has
};

/// Which annotation next, again and again, on a pool in memory: the belief, what may be bought and what is
/// pending, kept in agreement. A Campaign does the same with a durable log.
///
/// Arguments that make no sense throw std::invalid_argument. A call that throws leaves everything as it was.
class SelectionSession {
 public:
  /// `belief` is about the points of `pool`, given what is known already; `offer` has one noise per point.
  SelectionSession(Pool pool, std::unique_ptr<PoolBelief> belief, Offer offer, Acquisition acquisition = {},
                   const SelectionSessionOptions& options = {});
  SelectionSession(const SelectionSession&) = delete;
  SelectionSession& operator=(const SelectionSession&) = delete;

  /// The best choice now, or nothing if no candidate is left. Nothing is bought before expect() or tell().
  std::optional<Suggestion> next();
  /// Up to `count` to ask for at once, each the best given that those before it will be answered.
  std::vector<Suggestion> next(Index count);
  /// A choice of the caller: a pool row at a level of the offer. It may be closed.
  Suggestion at(Index row, Index level);

  /// It is asked for: its cost is spent, and later choices know that its answer will come.
  void expect(const Suggestion& suggestion);
  /// Its answer, expected before or not. `cost`: what it did cost, if not the price.
  void tell(const Suggestion& suggestion, double answer, std::optional<double> cost = std::nullopt);
  /// It was expected and will not be answered: it is a candidate again, and its cost is returned.
  void release(const Suggestion& suggestion);
  /// A point that must not be chosen.
  void close(Index row);

  /// Belief about f at every pool point, given the answers and what is pending.
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

}  // namespace acuity
