#pragma once

#include <functional>
#include <memory>

#include "acuity/data/shared_pool.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/pool_belief.hpp"

namespace acuity {

/// The belief about a pool that the ranks of a job share: each has a belief about its own rows. Rows are
/// those of the whole pool. All ranks must call everything but size() and convergence_problem() together. If
/// a rank's belief throws, all throw; then the annotation is in none of the beliefs, but their handles may
/// differ.
class ShardedBelief final : public PoolBelief {
 public:
  /// Makes a belief about some points, given observations whose rows are those of these points. It must
  /// depend on the number of points through the WholePool alone.
  using Make = std::function<std::unique_ptr<PoolBelief>(const PointsRef&, const std::vector<Observation>&,
                                                         const WholePool&)>;

  /// `pool` is the whole pool and must outlive the belief; only the rows of the shard and of observations are
  /// read. A rank without rows has a belief about the first row, of which nobody asks it.
  ShardedBelief(const PointsRef& pool, const std::vector<Observation>& observations, SharedPool shared,
                const Make& make);

  /// The belief of this rank, in rows of its shard.
  PoolBelief& local() { return *local_; }
  const PoolBelief& local() const { return *local_; }
  const PoolShard& shard() const { return shard_; }
  const SharedPool& pool() const { return shared_; }

  /// Of the whole pool: every rank then holds all of them. Without a goal.
  const Marginals& marginals() const override;
  Marginals marginals_at(std::span<const Index> rows) override;
  AnnotationHandle condition(const Place& place, const Channel& channel,
                             std::optional<double> answer) override;
  void answer(AnnotationHandle annotation, double value) override;
  void cancel(AnnotationHandle annotation) override;
  void cancel_all(std::span<const AnnotationHandle> annotations) override;
  void change_prior_mean(double mean) override;
  std::string convergence_problem() const override { return local_->convergence_problem(); }
  Index size() const override { return local_->size(); }
  bool is_finite() override;

 private:
  Place here(const Place& place) const;

  PointsRef pool_;
  SharedPool shared_;
  PoolShard shard_;
  std::unique_ptr<PoolBelief> local_;
  mutable Marginals whole_;
};

}  // namespace acuity
