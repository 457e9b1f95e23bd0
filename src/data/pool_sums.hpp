#pragma once

#include <functional>

#include "acuity/base/ranks.hpp"
#include "acuity/data/point_values.hpp"
#include "acuity/data/pool_shard.hpp"

namespace acuity {

/// `count` sums over a pool that ranks share: those of each block, block_rows() long, added in the order of
/// the pool. So they do not depend on the number of ranks. `of_block(begin, end, sums)` sets the sums over
/// these rows of the shard. All ranks call it; if `of_block` throws on one, all throw.
Vector sums_over_pool(Ranks& ranks, const PoolShard& shard, Index count,
                      const std::function<void(Index begin, Index end, double* sums)>& of_block);

/// The highest of all ranks' numbers, one by one.
Vector highest_of_ranks(Ranks& ranks, const Vector& mine);

/// A number for every point of a pool that ranks share: `mine` are those of this rank's shard, and
/// `elsewhere(point)` computes that of a point of another rank. Must be called by all ranks.
PointValues values_of_ranks(Ranks& ranks, const PoolShard& shard, Vector mine,
                            std::function<double(Index)> elsewhere);

}  // namespace acuity
