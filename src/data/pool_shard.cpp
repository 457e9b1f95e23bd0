#include "acuity/data/pool_shard.hpp"

#include <algorithm>

#include "acuity/base/errors.hpp"

namespace acuity {

namespace {

// Where the shard of a rank begins; the shard of the last rank ends at that of the rank after it.
Index first_row_of(Index whole, Index rank, Index ranks) {
  const Index rows = block_rows(whole), blocks = (whole + rows - 1) / rows;
  return std::min(whole, blocks * rank / ranks * rows);
}

}  // namespace

Index block_rows(Index whole) {
  constexpr Index most_blocks = 65536;
  return pool_block * std::max<Index>(1, (whole + pool_block * most_blocks - 1) / (pool_block * most_blocks));
}

PoolShard shard_of(Index whole, int rank, int ranks) {
  require(ranks >= 1, "shard_of", "the number of ranks", ranks, "1 or more");
  require(rank >= 0 && rank < ranks, "shard_of", "rank", rank, "from 0 to the number of ranks less 1");
  const Index first = first_row_of(whole, rank, ranks);
  return {.first = first, .rows = first_row_of(whole, rank + 1, ranks) - first, .whole = whole};
}

int owner_of(Index row, Index whole, int ranks) {
  require(row >= 0 && row < whole, "owner_of", "row", static_cast<double>(row), "a row of the pool");
  int low = 0, high = ranks - 1;  // the owner is one of low .. high
  while (low < high) {
    const int middle = low + (high - low + 1) / 2;
    if (first_row_of(whole, middle, ranks) <= row)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

}  // namespace acuity
