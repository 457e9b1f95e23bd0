#pragma once

#include <memory>
#include <span>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/model/goal.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/model/prior.hpp"

namespace acuity ACUITY_PUBLIC {

/// Regression on a pool whose levels are a chain (docs/math.md 12.7): every level has a belief of its own,
/// and what it predicts is one more input of the next. Marginals are those of f to first order in the answers
/// of the levels before; errors and goal are as those of a JointPoolBelief.
///
/// A pending annotation costs O(n (M + G)) with n annotations of its level, M pool points and G goal points.
/// An answer moves the column of the next level, which is computed again, as are all after it: O(n^2 M + n M
/// G) when the marginals are read. The belief is a function of its annotations alone, whatever their order.
class ChainedPoolBelief final : public PoolBelief {
 public:
  /// The prior has a chain; `goal` may be null. Channels must be of levels of the chain.
  ChainedPoolBelief(const Prior& prior, const PointsRef& pool, std::shared_ptr<const Goal> goal,
                    const std::vector<Observation>& observations = {}, const JointPoolOptions& options = {});
  ~ChainedPoolBelief() override;
  ChainedPoolBelief(ChainedPoolBelief&&) noexcept;
  ChainedPoolBelief& operator=(ChainedPoolBelief&&) noexcept;

  const Marginals& marginals() const override;
  AnnotationHandle condition(const Place& place, const Channel& channel,
                             std::optional<double> answer) override;
  void answer(AnnotationHandle annotation, double value) override;
  void cancel(AnnotationHandle annotation) override;
  void cancel_all(std::span<const AnnotationHandle> annotations) override;
  /// Nothing changes: every link has the mean of its own answers.
  void change_prior_mean(double mean) override;
  Index size() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace acuity ACUITY_PUBLIC
