#pragma once

#include "acuity/base/public.hpp"
#include "acuity/data/points.hpp"

namespace acuity ACUITY_PUBLIC {

/// Pools are shared among ranks, and sums over a pool are made, in blocks of so many rows. It is a multiple
/// of the number of points that are computed together, so that these are the same as in a single process.
inline constexpr Index pool_block = 256;
/// Of very large pools the blocks are a multiple of that, so that there are no more than 65536.
Index block_rows(Index whole);

/// The rows of a pool that one rank holds. Shards are consecutive whole blocks of the pool; in the order of
/// ranks they are in the order of the pool.
struct PoolShard {
  Index first = 0;  ///< row of the whole pool
  Index rows = 0;   ///< may be 0
  Index whole = 0;  ///< rows of the whole pool

  bool contains(Index row) const { return row >= first && row < first + rows; }
  bool is_whole() const { return rows == whole; }
  /// The row of the shard that is this row of the whole pool, and the reverse.
  Index local(Index row) const { return row - first; }
  Index global(Index row) const { return row + first; }

  friend bool operator==(const PoolShard&, const PoolShard&) = default;
};

/// The shard of a rank: as many blocks as every other rank has, or one more or less. Ranks beyond the number
/// of blocks have no rows.
PoolShard shard_of(Index whole, int rank, int ranks);

/// The rank whose shard has this row.
int owner_of(Index row, Index whole, int ranks);

}  // namespace acuity ACUITY_PUBLIC
