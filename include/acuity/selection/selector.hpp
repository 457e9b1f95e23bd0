#pragma once

#include <memory>
#include <optional>

#include "acuity/base/public.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/selection/candidates.hpp"

namespace acuity ACUITY_PUBLIC {

/// Selects one annotation after another and reuses intermediate results that are still valid. The result
/// equals that of select_by_full_scan, ties included, on any number of threads; in regression most of the
/// pool is skipped (docs/math.md 6).
///
/// One exception: if a belief has stored only some of the points of a large goal (is_thinned()), these decide
/// which 256 points or more are compared by all goal points, and the best of those is selected.
///
/// If processes share the pool, each with a belief about its part, offer and candidates are those of the
/// whole pool, every process calls choose() and gets the same result, which is that of one process alone.
///
/// Where something is sought and no candidate is worth more than nothing, the one is selected that makes f
/// most accurate over the goal (docs/math.md 19.2).
///
/// Offer and acquisition must outlive the selector and must not change. A selector belongs to one belief: use
/// a new one after rebuilding the belief.
class Selector {
 public:
  /// `threads`: 0 means all processors.
  Selector(const Offer& offer, const Acquisition& acquisition, int threads = 0);
  ~Selector();
  Selector(Selector&&) noexcept;
  Selector& operator=(Selector&&) noexcept;

  /// The best candidate, or nothing if none is left.
  std::optional<Score> choose(PoolBelief& belief, const Candidates& candidates);

 private:
  std::optional<Score> choose_by_worth(PoolBelief& belief, const Candidates& candidates);

  struct State;
  struct Part;

  const Offer* offer_;
  const Acquisition* acquisition_;
  int threads_;
  std::unique_ptr<State> state_;  // of the whole pool
  std::unique_ptr<Part> part_;    // of the own part, if processes share the pool
};

}  // namespace acuity ACUITY_PUBLIC
