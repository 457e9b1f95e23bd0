#include "data/pool_sums.hpp"

#include <algorithm>
#include <optional>

#include "base/byte_text.hpp"

namespace acuity {

Vector sums_over_pool(Ranks& ranks, const PoolShard& shard, Index count,
                      const std::function<void(Index begin, Index end, double* sums)>& of_block) {
  const Index step = block_rows(shard.whole);
  const std::vector<std::string> parts = gather_from_all(ranks, [&] {
    base::ByteWriter bytes;
    Vector sums(count);
    for (Index begin = 0; begin < shard.rows; begin += step) {
      of_block(begin, std::min(shard.rows, begin + step), sums.data());
      for (const double sum : sums) bytes.put(sum);
    }
    return bytes.text();
  });
  Vector total = Vector::Zero(count);
  for (const std::string& part : parts)
    for (base::ByteReader bytes(part); !bytes.at_end();)
      for (double& sum : total) sum += bytes.get<double>();
  return total;
}

Vector highest_of_ranks(Ranks& ranks, const Vector& mine) {
  Vector highest = mine;
  base::ByteWriter bytes;
  bytes.put(mine);
  for (const std::string& other : ranks.gather(bytes.text()))
    highest = highest.cwiseMax(base::ByteReader(other).vector());
  return highest;
}

PointValues values_of_ranks(Ranks& ranks, const PoolShard& shard, Vector mine,
                            std::function<double(Index)> elsewhere) {
  base::ByteWriter bytes;
  if (mine.size() > 0) {
    PointValues::Extremes own;
    own.lowest = mine.minCoeff(&own.lowest_at);
    own.highest = mine.maxCoeff();
    own.lowest_at = shard.global(own.lowest_at);
    bytes.put(own);
  }
  std::optional<PointValues::Extremes> all;
  for (const std::string& other : ranks.gather(bytes.text())) {
    if (other.empty()) continue;
    const auto one = base::ByteReader(other).get<PointValues::Extremes>();
    if (!all) all = one;
    if (one.lowest < all->lowest) all->lowest = one.lowest, all->lowest_at = one.lowest_at;
    all->highest = std::max(all->highest, one.highest);
  }
  return PointValues::of_shard(shard, std::move(mine), std::move(elsewhere),
                               all.value_or(PointValues::Extremes{}));
}

}  // namespace acuity
