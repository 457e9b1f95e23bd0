#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "acuity/data/shared_pool.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/pool_belief.hpp"

namespace acuity {

/// The part of a belief about a pool that this process computes. Selection and means over a pool work with
/// it, so that they need not know whether processes share the pool.
struct BeliefPart {
  PoolBelief& belief;              ///< about the points of the part, in its own rows
  std::optional<PoolShard> shard;  ///< absent: it is about the whole pool
  SharedPool pool;                 ///< how the processes share it
};

/// The belief about a pool, by parts if processes share it. `make` makes a belief about some of its points,
/// given observations in rows of these points; `whole` is absent if they are all points.
using MakeBelief = std::function<std::unique_ptr<PoolBelief>(const PointsRef& points,
                                                             const std::vector<Observation>& observations,
                                                             const std::optional<WholePool>& whole)>;
std::unique_ptr<PoolBelief> share_belief(const PointsRef& pool, const std::vector<Observation>& observations,
                                         const SharedPool& shared, const MakeBelief& make);

BeliefPart own_part_of(PoolBelief& belief);
/// Its belief alone.
const PoolBelief& own_belief_of(const PoolBelief& belief);

}  // namespace acuity
