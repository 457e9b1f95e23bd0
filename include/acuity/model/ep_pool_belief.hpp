#pragma once

#include <memory>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/goal.hpp"
#include "acuity/model/pool_belief.hpp"

namespace acuity ACUITY_PUBLIC {

/// Classification on a pool (docs/math.md 3 and 7). An answer changes every site, so the posterior is
/// recomputed, starting from the previous sites. A pending annotation is a fixed site in addition, which
/// leaves all means unchanged and lowers variances by the expected effect of its answer.
///
/// With n answers and M pool points an answer costs O(n^3), and marginals() after it O(n^2 M), or O(p n M)
/// more with p annotations pending. A selection costs O(r^2 M) if the pool's covariance has a numerical rank
/// r below n (docs/math.md 3.10). With G goal points marginals() costs O(n G M) more after an answer.
class EpPoolBelief final : public PoolBelief {
 public:
  /// Answers are -1 and +1, channels FlipChannel. `threads`: 0 means all processors. `kept`: how many
  /// covariances between annotations and pool points may be cached instead of recomputed with every answer.
  /// Results depend on neither. `goal` may be null. If pool and goal have more than `most_covariances`
  /// covariances, marginals() has those with some of the goal points only, and marginals_at() has all of
  /// them. `whole_pool`: the points of the whole pool, if this is a part of it; then those are counted.
  /// `one_class_per_point`: all answers to a pool point are about one class of it. What a further answer is
  /// worth then depends on them (Marginals::earlier); the caller gives several answers to one point as one
  /// (docs/math.md eq. (15.5)).
  EpPoolBelief(Prior prior, const PointsRef& pool, const std::vector<Observation>& observations = {},
               int threads = 0, Index kept = Index{1} << 25, std::shared_ptr<const Goal> goal = nullptr,
               Index most_covariances = 100'000'000, Index whole_pool = 0, bool one_class_per_point = false);
  ~EpPoolBelief() override;
  EpPoolBelief(EpPoolBelief&&) noexcept;
  EpPoolBelief& operator=(EpPoolBelief&&) noexcept;

  const Marginals& marginals() const override;
  Marginals marginals_at(std::span<const Index> rows) override;
  AnnotationHandle condition(const Place& place, const Channel& channel,
                             std::optional<double> answer) override;
  void answer(AnnotationHandle annotation, double value) override;
  void cancel(AnnotationHandle annotation) override;
  Index size() const override;
  std::string convergence_problem() const override;

  /// The posterior given the answers, without pending annotations.
  const EpPosterior& posterior() const;
  /// How often a warm start did not converge and a cold start was needed.
  Index cold_starts() const;
  /// Whether marginals() has only some of the goal points.
  bool is_thinned() const;

 private:
  friend class PoolBeliefInternals;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace acuity ACUITY_PUBLIC
