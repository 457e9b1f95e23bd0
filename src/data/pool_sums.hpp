#pragma once

#include <functional>

#include "acuity/data/points.hpp"
#include "acuity/data/pool_shard.hpp"
#include "acuity/numerics/ranks.hpp"

namespace acuity {

/// `count` sums over a pool that ranks share: those of each block, block_rows() long, added in the order of
/// the pool. So they do not depend on the number of ranks. `of_block(begin, end, sums)` sets the sums over
/// these rows of the shard. All ranks call it; if `of_block` throws on one, all throw.
Vector sums_over_pool(Ranks& ranks, const PoolShard& shard, Index count,
                      const std::function<void(Index begin, Index end, double* sums)>& of_block);

/// The highest of all ranks' numbers, one by one.
Vector highest_of_ranks(Ranks& ranks, const Vector& mine);

}  // namespace acuity
