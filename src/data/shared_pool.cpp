#include "acuity/data/shared_pool.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/byte_text.hpp"

namespace acuity {

PoolShard SharedPool::own_part(Index points) const {
  return shard_of(points, job_.number(), job_.count());
}

Vector SharedPool::sums(const PoolShard& own, Index count,
                        const std::function<void(Index begin, Index end, double* sums)>& of_block) const {
  const Index step = block_rows(own.whole);
  const std::vector<std::string> parts = job_.gather([&] {
    base::ByteWriter bytes;
    Vector sums(count);
    for (Index begin = 0; begin < own.rows; begin += step) {
      of_block(begin, std::min(own.rows, begin + step), sums.data());
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

Vector SharedPool::highest(const Vector& mine) const {
  Vector highest = mine;
  base::ByteWriter bytes;
  bytes.put(mine);
  for (const std::string& other : job_.gather([&] { return bytes.text(); }))
    highest = highest.cwiseMax(base::ByteReader(other).vector());
  return highest;
}

PointValues SharedPool::values(const PoolShard& own, Vector mine,
                               std::function<double(Index)> elsewhere) const {
  base::ByteWriter bytes;
  if (mine.size() > 0) {
    PointValues::Extremes here;
    here.lowest = mine.minCoeff(&here.lowest_at);
    here.highest = mine.maxCoeff();
    here.lowest_at = own.global(here.lowest_at);
    bytes.put(here);
  }
  std::optional<PointValues::Extremes> all;
  for (const std::string& other : job_.gather([&] { return bytes.text(); })) {
    if (other.empty()) continue;
    const auto one = base::ByteReader(other).get<PointValues::Extremes>();
    if (!all) all = one;
    if (one.lowest < all->lowest) all->lowest = one.lowest, all->lowest_at = one.lowest_at;
    all->highest = std::max(all->highest, one.highest);
  }
  if (mine.size() != own.rows)
    throw std::invalid_argument("SharedPool: there are " + std::to_string(mine.size()) +
                                " numbers, must be one for each of the shard's " + std::to_string(own.rows) +
                                " points");
  return PointValues::of_part(own.first, own.whole, std::move(mine), std::move(elsewhere),
                              all.value_or(PointValues::Extremes{}));
}

}  // namespace acuity
