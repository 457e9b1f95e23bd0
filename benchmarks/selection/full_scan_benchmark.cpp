#include "acuity/selection/full_scan.hpp"

#include <benchmark/benchmark.h>

#include "acuity/model/gp_pool_belief.hpp"
#include "support/problems.hpp"

namespace acuity {
namespace {

// One choice among 6000 points and `range(0)` levels.
void select(benchmark::State& state) {
  const testing::Problem problem = testing::make_problem({.pool = 6000, .observations = 50});
  const Marginals belief = GpPoolBelief(problem.prior, problem.pool, problem.observations).marginals();
  const Offer offer{.levels = testing::ladder(static_cast<int>(state.range(0)), 0.8),
                    .base_noise = Vector::Constant(6000, 0.01)};
  for (auto _ : state) benchmark::DoNotOptimize(select_by_full_scan(belief, offer, {}, {}));
}
BENCHMARK(select)->Arg(2)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace acuity
