#pragma once

#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/pool_belief.hpp"
#include "model/belief_memory.hpp"
#include "model/lagging_pool.hpp"
#include "model/rough_marginals.hpp"

namespace acuity {

class TiledPosterior;

/// What the library's own beliefs offer to selections besides marginals(). A user's belief has none of it.
class PoolBeliefInternals {
 public:
  /// The pool in tiles that need not all be up to date, or null. Valid until the next call that is not const.
  static LaggingPool* lagging(PoolBelief& belief);

  /// The factor and the tiles of a regression belief.
  static TiledPosterior& posterior(GpPoolBelief& belief);

  /// What the next process can use, if it is worth storing: there are many rows, and many are new since the
  /// last time. Valid until the next call that is not const.
  static std::optional<BeliefMemory> memory(PoolBelief& belief);

  /// The belief about the whole pool with errors that are known, or null if marginals() costs no more or has
  /// been computed already. PoolBelief::marginals_at() then gives the few points that are needed exactly.
  /// Valid until the next call that is not const.
  static const RoughMarginals* rough_marginals(PoolBelief& belief);

  /// Whether marginals() has only some of the goal points and PoolBelief::marginals_at() has all of them.
  static bool has_thinned_goal(const PoolBelief& belief);
};

}  // namespace acuity
