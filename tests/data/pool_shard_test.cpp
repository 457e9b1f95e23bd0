#include "acuity/data/pool_shard.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/pool_tiles.hpp"

namespace acuity::pool_shard_test {

TEST(PoolShard, ShardsAreWholeBlocksInOrderAndCoverThePoolOnce) {
  constexpr Index tile = pool_block;
  for (const Index whole : {Index{0}, Index{1}, tile, tile + 1, 5 * tile, 7 * tile + 3})
    for (const int ranks : {1, 2, 3, 4, 9}) {
      Index next = 0, fewest = whole, most = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const PoolShard shard = shard_of(whole, rank, ranks);
        EXPECT_EQ(shard.first, next);
        EXPECT_EQ(shard.whole, whole);
        EXPECT_TRUE(shard.rows == 0 || shard.first % tile == 0);
        for (Index row = shard.first; row < shard.first + shard.rows; ++row) {
          EXPECT_TRUE(shard.contains(row));
          EXPECT_EQ(owner_of(row, whole, ranks), rank);
        }
        next += shard.rows;
        fewest = std::min(fewest, shard.rows / tile);
        most = std::max(most, (shard.rows + tile - 1) / tile);
      }
      EXPECT_EQ(next, whole);
      EXPECT_LE(most - fewest, 2);
    }
}

TEST(PoolShard, BlocksAreWholeTiles) {
  EXPECT_EQ(pool_block % PoolTiles::width, 0);
}

TEST(PoolShard, RowsOfTheShardAndOfThePoolTranslate) {
  const PoolShard shard = shard_of(10 * pool_block, 1, 2);
  EXPECT_EQ(shard.local(shard.first), 0);
  EXPECT_EQ(shard.global(3), shard.first + 3);
  EXPECT_FALSE(shard.contains(0));
  EXPECT_FALSE(shard.is_whole());
  EXPECT_THROW(shard_of(10, 2, 2), std::invalid_argument);
  EXPECT_THROW(owner_of(10, 10, 2), std::invalid_argument);
}

}  // namespace acuity::pool_shard_test
