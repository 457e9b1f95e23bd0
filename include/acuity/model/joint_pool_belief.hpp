#pragma once

#include <memory>
#include <span>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/model/goal.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/model/prior.hpp"

namespace acuity ACUITY_PUBLIC {

struct JointPoolOptions {
  int threads = 0;  ///< 0: all processors; the result does not depend on it
  /// At most so many covariances between pool and goal are stored. If there are more, marginals() has those
  /// with some of the goal points only, and marginals_at() has all of them.
  Index most_covariances = 100'000'000;
  /// Points of the whole pool, if this is a part of it: those of the whole are counted then. 0: it is none.
  Index whole_pool = 0;
};

/// Regression on a pool with levels that have a bias, with a goal, or both (docs/math.md 12, 13): besides the
/// mean and variance of f at every pool point it knows the error of every such level there, and the
/// covariances of the answers with f at the goal points. With n annotations, M pool points, K biases and G
/// goal points an annotation costs O((1 + K) (n + G) M).
class JointPoolBelief final : public PoolBelief {
 public:
  /// `goal` may be null. The prior's biases are those that channels refer to.
  JointPoolBelief(const Prior& prior, const PointsRef& pool, std::shared_ptr<const Goal> goal,
                  const std::vector<Observation>& observations = {}, const JointPoolOptions& options = {});
  ~JointPoolBelief() override;
  JointPoolBelief(JointPoolBelief&&) noexcept;
  JointPoolBelief& operator=(JointPoolBelief&&) noexcept;

  const Marginals& marginals() const override;
  Marginals marginals_at(std::span<const Index> rows) override;
  AnnotationHandle condition(const Place& place, const Channel& channel,
                             std::optional<double> answer) override;
  void answer(AnnotationHandle annotation, double value) override;
  void cancel(AnnotationHandle annotation) override;
  void cancel_all(std::span<const AnnotationHandle> annotations) override;
  void change_prior_mean(double mean) override;
  Index size() const override;

  /// The number of noise-free rows that were given a tiny noise because they repeat known rows.
  Index jittered() const;
  /// The number of rows of the factor: the n of the costs above. Answers of one level at one point may share
  /// one.
  Index rows() const;
  /// Whether marginals() has only some of the goal points.
  bool is_thinned() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace acuity ACUITY_PUBLIC
