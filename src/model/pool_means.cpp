#include "model/pool_means.hpp"

#include <cmath>

#include "model/belief_part.hpp"

namespace acuity {

namespace {

// `of_block`: the sum over some consecutive variances.
template <typename OfBlock>
double mean_of_variances(PoolBelief& belief, const OfBlock& of_block) {
  const BeliefPart own = own_part_of(belief);
  const Vector* variance = nullptr;
  const auto part = own.shard ? *own.shard : own.pool.own_part(belief.marginals().variance.size());
  const Vector sum = own.pool.sums(part, 1, [&](Index begin, Index end, double* sums) {
    if (variance == nullptr) variance = &own.belief.marginals().variance;
    sums[0] = of_block(variance->segment(begin, end - begin));
  });
  return sum(0) / static_cast<double>(part.whole);
}

}  // namespace

double mean_variance(PoolBelief& belief) {
  return mean_of_variances(belief, [](const auto& variances) { return variances.sum(); });
}

double mean_standard_deviation(PoolBelief& belief) {
  return mean_of_variances(belief,
                           [](const auto& variances) { return variances.cwiseMax(0.0).cwiseSqrt().sum(); });
}

}  // namespace acuity
