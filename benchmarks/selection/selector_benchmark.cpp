#include "acuity/selection/selector.hpp"

#include <benchmark/benchmark.h>

#include "acuity/model/gp_pool_belief.hpp"
#include "numerics/random.hpp"
#include "support/problems.hpp"

namespace acuity {
namespace {

// One hundred steps, each a choice and its annotation, in a pool of `range(0)` points with `range(1)` inputs.
void run(benchmark::State& state) {
  numerics::Draws draws(1, numerics::Purpose::data, 1);
  Points pool(state.range(0), state.range(1));
  for (double& value : pool.reshaped()) value = 2.0 * draws.uniform();
  const Offer offer{.levels = testing::ladder(100, 1.0), .base_noise = Vector::Constant(pool.rows(), 0.01)};
  const Acquisition acquisition;
  for (auto _ : state) {
    GpPoolBelief belief(Prior{}, pool, {}, 1);
    Selector selector(offer, acquisition, 1);
    Candidates candidates(offer);
    for (int step = 0; step < 100; ++step) {
      const std::optional<Score> best = selector.choose(belief, candidates);
      belief.condition(best->point, offer.channel(best->point, best->level), 0.0);
      candidates.buy(*best);
    }
  }
}
BENCHMARK(run)
    ->ArgNames({"pool", "inputs"})
    ->ArgsProduct({{1000, 10'000, 100'000}, {1, 8}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace acuity
