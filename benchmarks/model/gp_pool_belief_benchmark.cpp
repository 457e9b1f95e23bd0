#include "acuity/model/gp_pool_belief.hpp"

#include <benchmark/benchmark.h>

#include "support/problems.hpp"

namespace acuity {
namespace {

// One more annotation after `range(0)` of them, on a pool of 8000: grows with n.
void condition(benchmark::State& state) {
  const testing::Problem problem = testing::make_problem({.pool = 8000, .observations = state.range(0)});
  GpPoolBelief belief(problem.prior, problem.pool, problem.observations, 1);
  for (auto _ : state) belief.cancel(belief.condition(17, GaussianChannel{0.1}, std::nullopt));
}
BENCHMARK(condition)->RangeMultiplier(4)->Range(16, 256)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace acuity
