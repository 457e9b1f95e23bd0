#include "model/pool_means.hpp"

#include <cmath>

#include "data/pool_sums.hpp"
#include "model/sharded_belief.hpp"

namespace acuity {

namespace {

// `of_block`: the sum over some consecutive variances.
template <typename OfBlock>
double mean_of_variances(PoolBelief& belief, const OfBlock& of_block) {
  auto* sharded = dynamic_cast<ShardedBelief*>(&belief);
  Ranks& ranks = sharded != nullptr ? sharded->ranks() : one_rank();
  const Vector* variance = nullptr;
  const auto sum = [&](const PoolShard& shard) {
    return sums_over_pool(ranks, shard, 1, [&](Index begin, Index end, double* sums) {
      if (variance == nullptr)
        variance = sharded != nullptr ? &sharded->local().marginals().variance : &belief.marginals().variance;
      sums[0] = of_block(variance->segment(begin, end - begin));
    })(0);
  };
  if (sharded != nullptr) return sum(sharded->shard()) / static_cast<double>(sharded->shard().whole);
  const Index rows = belief.marginals().variance.size();
  return sum({0, rows, rows}) / static_cast<double>(rows);
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
