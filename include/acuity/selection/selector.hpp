#pragma once

#include <memory>
#include <optional>

#include "acuity/model/pool_belief.hpp"
#include "acuity/selection/candidates.hpp"

namespace acuity {

/// Chooses one annotation after another, and keeps between two choices what is still valid. The choice is
/// that of select_by_full_scan, ties included, on any number of threads; in regression most of the pool is
/// not even looked at (docs/math.md 6).
///
/// Offer and acquisition must outlive it, unchanged. A selector belongs to one belief: use a new one after
/// rebuilding the belief.
class Selector {
 public:
  /// `threads`: 0 means all the machine has.
  Selector(const Offer& offer, const Acquisition& acquisition, int threads = 0);
  ~Selector();
  Selector(Selector&&) noexcept;
  Selector& operator=(Selector&&) noexcept;

  /// The best candidate, or nothing if none is left.
  std::optional<Score> choose(PoolBelief& belief, const Candidates& candidates);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace acuity
