#include "acuity/model/pool_belief.hpp"

#include <stdexcept>

#include "model/pool_belief_internals.hpp"

namespace acuity {

Marginals PoolBelief::marginals_at(std::span<const Index> rows) {
  if (LaggingPool* pool = PoolBeliefInternals::lagging(*this)) {
    for (const Index row : rows) pool->refresh(row / pool->tile_width());
    return pool->exact_at(rows);
  }
  const Marginals& all = marginals();
  Marginals some{Vector(static_cast<Index>(rows.size())), Vector(static_cast<Index>(rows.size()))};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    some.mean(static_cast<Index>(k)) = all.mean(rows[k]);
    some.variance(static_cast<Index>(k)) = all.variance(rows[k]);
  }
  return some;
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
