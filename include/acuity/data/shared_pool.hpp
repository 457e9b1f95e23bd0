#pragma once

#include <functional>

#include "acuity/base/job.hpp"
#include "acuity/base/public.hpp"
#include "acuity/data/point_values.hpp"
#include "acuity/data/pool_shard.hpp"

namespace acuity ACUITY_PUBLIC {

/// How the processes of a job share the points of a pool: each process computes its own part, and what
/// depends on all points is computed by all together. Results are the same, bit for bit, on any number of
/// processes. All processes call sums(), highest() and values() in the same order (Job).
class SharedPool {
 public:
  SharedPool() = default;  ///< one process has the whole pool
  explicit SharedPool(Job job) : job_(std::move(job)) {}

  const Job& job() const { return job_; }
  bool is_split() const { return !job_.is_alone(); }
  /// The part of this process of a pool with so many points.
  PoolShard own_part(Index points) const;

  /// `count` sums over the pool: the sums of each block, block_rows() long, are added in the order of the
  /// pool. `of_block(begin, end, sums)` sets the sums over these rows of the own part. If it throws in one
  /// process, all throw.
  Vector sums(const PoolShard& own, Index count,
              const std::function<void(Index begin, Index end, double* sums)>& of_block) const;
  /// The highest of the numbers of all processes, one by one.
  Vector highest(const Vector& mine) const;
  /// A number for every point of the pool: `mine` are the numbers of the own part, and `elsewhere(point)`
  /// computes the number of any other point.
  PointValues values(const PoolShard& own, Vector mine, std::function<double(Index)> elsewhere) const;

 private:
  Job job_;
};

}  // namespace acuity ACUITY_PUBLIC
