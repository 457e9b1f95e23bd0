#pragma once

#include <memory>
#include <vector>

#include "acuity/model/pool_belief.hpp"
#include "acuity/model/prior.hpp"

namespace acuity {

/// How the pool side of a belief is kept.
struct PoolStorage {
  /// Bytes that L^-1 K may take; 0: no limit. What does not fit is computed again when it is needed, with the
  /// same bits.
  std::size_t memory = 0;
  /// Half the memory and about twice the speed. Variances are then off by about 1e-6 of the prior variance,
  /// so that two candidates whose scores are that close may change places.
  bool single_precision = false;
};

/// Gaussian process regression about a pool (docs/math.md 2.4): equals a GpPosterior rebuilt from all
/// annotations, at O(n M) for each new one instead of O(n^2 M).
///
/// The pool is kept in tiles of some columns of L^-1 K, each of which can catch up on several annotations at
/// once. Pending annotations are exact (docs/math.md 7). Annotations of one place are rows of their own until
/// they are half of all rows, then they are merged (docs/math.md 8): n above counts places, not annotations.
class GpPoolBelief final : public PoolBelief {
 public:
  /// `threads`: 0 means all the machine has; the result does not depend on it. The observations have the
  /// handles 0, 1, 2, ...
  GpPoolBelief(Prior prior, const PointsRef& pool, const std::vector<Observation>& observations = {},
               int threads = 0, const PoolStorage& storage = {});
  ~GpPoolBelief() override;
  GpPoolBelief(GpPoolBelief&&) noexcept;
  GpPoolBelief& operator=(GpPoolBelief&&) noexcept;

  const Marginals& marginals() const override;
  AnnotationHandle condition(const Place& place, const Channel& channel,
                             std::optional<double> answer) override;
  void answer(AnnotationHandle annotation, double value) override;
  void cancel(AnnotationHandle annotation) override;
  void change_prior_mean(double mean) override;
  Index size() const override;

  /// How many rows without noise got a tiny one, because they repeat what was known already.
  Index jittered() const;
  /// How many places are annotated, pending annotations included.
  Index distinct() const;
  /// How many rows the factor has: the n of the costs above. At most size().
  Index rows() const;

 private:
  friend class PoolBeliefInternals;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace acuity
