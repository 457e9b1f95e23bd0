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
  const Candidates candidates(offer);
  for (auto _ : state) benchmark::DoNotOptimize(select_by_full_scan(belief, offer, {}, candidates));
}
BENCHMARK(select)->Arg(2)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond)->UseRealTime();

// One choice among 2000 points and 100 levels of a class under a linear cost: corners only, or every level;
// on `range(1)` threads.
void select_class(benchmark::State& state) {
  const Marginals belief{Vector::LinSpaced(2000, -2.0, 2.0), Vector::LinSpaced(2000, 1.0, 0.01)};
  Offer offer{.levels = {}, .base_noise = Vector::Zero(2000)};
  for (int k = 0; k < 100; ++k)
    offer.levels.push_back({.channel = FlipChannel{0.8 + 0.2 * k / 99.0}, .cost = 0.1 + 0.9 * k / 99.0});
  const Acquisition acquisition{.information = std::make_shared<ClassModelInformation>()};
  const FullScanOptions options{.threads = static_cast<int>(state.range(1)),
                                .every_level = state.range(0) != 0};
  const Candidates candidates(offer);
  for (auto _ : state)
    benchmark::DoNotOptimize(select_by_full_scan(belief, offer, acquisition, candidates, options));
}
BENCHMARK(select_class)
    ->ArgNames({"every_level", "threads"})
    ->ArgsProduct({{0, 1}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// The best of all precisions at 2000 points, under a cost that has to be scanned.
void select_class_continuous(benchmark::State& state) {
  const Marginals belief{Vector::LinSpaced(2000, -2.0, 2.0), Vector::LinSpaced(2000, 1.0, 0.01)};
  const Acquisition acquisition{
      .information = std::make_shared<ClassModelInformation>(),
      .continuous = ContinuousPrecision{.vaguest = Precision::of(0.0),
                                        .sharpest = Precision::of(1.0),
                                        .law = {.gamma = 0.2, .kappa = 0.8},
                                        .cost = std::make_shared<ExpressionCost>("0.25 + 0.75 * alpha^2")}};
  const Offer offer{.levels = {}, .base_noise = Vector::Zero(2000)};
  const Candidates candidates(offer);
  const FullScanOptions options{.threads = static_cast<int>(state.range(0))};
  for (auto _ : state)
    benchmark::DoNotOptimize(select_by_full_scan(belief, offer, acquisition, candidates, options));
}
BENCHMARK(select_class_continuous)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace acuity
