#include "acuity/model/pool_belief.hpp"

#include <stdexcept>

#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "model/goal_covariances.hpp"
#include "model/pool_belief_internals.hpp"

namespace acuity {

bool PoolBeliefInternals::has_thinned_goal(const PoolBelief& belief) {
  if (const auto* joint = dynamic_cast<const JointPoolBelief*>(&belief)) return joint->is_thinned();
  const auto* classes = dynamic_cast<const EpPoolBelief*>(&belief);
  return classes != nullptr && classes->is_thinned();
}

Marginals PoolBelief::marginals_at(std::span<const Index> rows) {
  if (LaggingPool* pool = PoolBeliefInternals::lagging(*this)) {
    for (const Index row : rows) pool->refresh(row / pool->tile_width());
    return pool->exact_at(rows);
  }
  return some_of(marginals(), rows);
}

// Newest first, so that no later one has to be computed again.
void PoolBelief::cancel_all(std::span<const AnnotationHandle> annotations) {
  for (std::size_t i = annotations.size(); i > 0; --i) cancel(annotations[i - 1]);
}

void PoolBelief::change_prior_mean(double) {
  throw std::invalid_argument("PoolBelief: the prior mean of this belief cannot be changed");
}

bool PoolBelief::is_finite() {
  if (LaggingPool* pool = PoolBeliefInternals::lagging(*this); pool != nullptr && pool->surely_finite())
    return true;
  const Marginals& all = marginals();
  return all.mean.allFinite() && all.variance.allFinite();
}

}  // namespace acuity
