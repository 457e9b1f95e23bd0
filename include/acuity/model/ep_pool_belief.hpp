#pragma once

#include <memory>
#include <vector>

#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/pool_belief.hpp"

namespace acuity {

/// Classification about a pool (docs/math.md 3 and 7). An answer moves every site, so the posterior is
/// computed again, starting from the sites before; a pending annotation is a fixed site beside it, which
/// leaves all means and lowers variances by what its answer is expected to.
///
/// With n answers and M pool points an answer costs O(n^3), and marginals() after it O(n^2 M), or O(p n M)
/// more with p annotations pending. A choice costs O(r^2 M) if the pool's covariances are nearly of a rank r
/// below n (docs/math.md 3.10).
class EpPoolBelief final : public PoolBelief {
 public:
  /// Answers are -1 and +1, channels FlipChannel. `threads`: 0 means all the machine has. `kept`: how many
  /// covariances of annotations with pool points may be kept rather than computed again with every answer.
  /// Results depend on neither.
  EpPoolBelief(Prior prior, const PointsRef& pool, const std::vector<Observation>& observations = {},
               int threads = 0, Index kept = Index{1} << 25);
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

  /// The posterior given the answers, pending annotations aside.
  const EpPosterior& posterior() const;
  /// How often a warm start did not arrive and a cold one was needed.
  Index cold_starts() const;

 private:
  friend class PoolBeliefInternals;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace acuity
