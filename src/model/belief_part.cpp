#include "model/belief_part.hpp"

#include "model/sharded_belief.hpp"

namespace acuity {

std::unique_ptr<PoolBelief> share_belief(const PointsRef& pool, const std::vector<Observation>& observations,
                                         const SharedPool& shared, const MakeBelief& make) {
  if (!shared.is_split()) return make(pool, observations, std::nullopt);
  return std::make_unique<ShardedBelief>(pool, observations, shared, make);
}

BeliefPart own_part_of(PoolBelief& belief) {
  if (auto* sharded = dynamic_cast<ShardedBelief*>(&belief))
    return {sharded->local(), sharded->shard(), sharded->pool()};
  return {belief, std::nullopt, {}};
}

const PoolBelief& own_belief_of(const PoolBelief& belief) {
  const auto* sharded = dynamic_cast<const ShardedBelief*>(&belief);
  return sharded != nullptr ? sharded->local() : belief;
}

}  // namespace acuity
