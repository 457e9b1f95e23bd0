// One step of a campaign: an answer is taken in and the next choice made, among 100,000 points with 4 inputs
// after 300 answers. CPU time of all threads.
#include <benchmark/benchmark.h>

#include <random>

#include "acuity/acquisition/goal_information.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "acuity/selection/selector.hpp"

namespace acuity {
namespace {

constexpr Index pool_size = 100'000, inputs = 4, answers = 300;

// The levels on offer if there are so many of them, out of five; the last one is the finest.
std::vector<std::size_t> offered(Index levels) {
  return levels == 1   ? std::vector<std::size_t>{4}
         : levels == 2 ? std::vector<std::size_t>{0, 4}
         : levels == 3 ? std::vector<std::size_t>{0, 2, 4}
         : levels == 4 ? std::vector<std::size_t>{0, 1, 2, 4}
                       : std::vector<std::size_t>{0, 1, 2, 3, 4};
}

struct Problem {
  explicit Problem(bool with_bias, Index levels = 3) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform;
    pool.resize(pool_size, inputs);
    for (Index i = 0; i < pool_size; ++i)
      for (Index k = 0; k < inputs; ++k) pool(i, k) = uniform(random);
    prior.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
        .family = KernelFamily::matern52, .amplitude = 1.0, .lengthscale = Vector::Constant(inputs, 0.7)});
    const double sd[] = {0.3, 0.2, 0.1, 0.05, 0.02}, cost[] = {1.0, 3.0, 8.0, 24.0, 64.0};
    for (const std::size_t k : offered(levels)) {
      const LevelBias bias = with_bias && k < 4 ? LevelBias::assumed(sd[k]) : LevelBias{};
      const int number = static_cast<int>(prior.biases.size());
      if (with_bias) prior.biases.push_back(bias);
      offer.levels.push_back({.name = std::to_string(k),
                              .alpha = {},
                              .channel = GaussianChannel{sd[k] * sd[k], bias.any() ? number + 1 : 0},
                              .cost = cost[k],
                              .bias = bias,
                              .value = {}});
    }
    offer.base_noise = Vector::Constant(pool_size, 1e-4);
    for (Index i = 0; i < answers; ++i)
      known.push_back({Place(i * (pool_size / answers)), uniform(random),
                       offer.channel(0, i % 10 == 0                ? levels - 1
                                        : i % 3 == 0 && levels > 2 ? 1 + i / 3 % (levels - 2)
                                                                   : 0)});
  }
  std::shared_ptr<const Goal> goal(Index size) const {
    return std::make_shared<const Goal>(
        Goal{pool.topRows(size), Vector::Constant(size, 1.0 / static_cast<double>(size)), {}});
  }

  Points pool;
  Prior prior;
  Offer offer;
  std::vector<Observation> known;
};

void steps(benchmark::State& state, const Problem& problem, PoolBelief& belief,
           const Acquisition& acquisition) {
  Candidates candidates(problem.offer, {.repeat_points = true});
  Selector selector(problem.offer, acquisition);
  selector.choose(belief, candidates);
  for (auto _ : state) {
    const Score best = *selector.choose(belief, candidates);
    belief.condition(best.point, problem.offer.channel(best.point, best.level), 0.5);
    candidates.buy(best);
    state.counters["level"] = static_cast<double>(best.level);
  }
}

void information(benchmark::State& state) {
  const Problem problem(false);
  GpPoolBelief belief(problem.prior, problem.pool, problem.known);
  steps(state, problem, belief, {});
}
BENCHMARK(information)->Iterations(20)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

// All points up to date, as every criterion without bounds needs them.
void information_everywhere(benchmark::State& state) {
  const Problem problem(false);
  GpPoolBelief belief(problem.prior, problem.pool, problem.known);
  belief.marginals();
  for (auto _ : state) {
    belief.condition(state.iterations() % 1000, GaussianChannel{0.01}, 0.5);
    benchmark::DoNotOptimize(belief.marginals().variance.data());
  }
}
BENCHMARK(information_everywhere)->Iterations(20)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

void goal(benchmark::State& state) {
  const Problem problem(state.range(1) != 0);
  JointPoolBelief belief(problem.prior, problem.pool, problem.goal(state.range(0)), problem.known);
  const auto criterion = state.range(2) != 0 ? GoalCriterion::prediction : GoalCriterion::variance;
  steps(state, problem, belief, {.information = std::make_shared<GoalInformation>(criterion)});
}
BENCHMARK(goal)
    ->ArgNames({"points", "bias", "prediction"})
    ->Args({500, 0, 0})
    ->Args({500, 1, 0})
    ->Args({100, 1, 0})
    ->Args({500, 0, 1})
    ->Iterations(10)
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

// All levels but the finest have a bias.
void growth(benchmark::State& state) {
  const Problem problem(state.range(1) > 1, state.range(1));
  JointPoolBelief belief(problem.prior, problem.pool, problem.goal(state.range(0)), problem.known);
  steps(state, problem, belief, {.information = std::make_shared<GoalInformation>(GoalCriterion::variance)});
}
BENCHMARK(growth)
    ->ArgNames({"points", "levels"})
    ->ArgsProduct({{50, 100, 200, 500, 1000, 2000}, {3}})
    ->ArgsProduct({{500}, {1, 2, 4, 5}})
    ->Iterations(10)
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

void local_information_with_bias(benchmark::State& state) {
  const Problem problem(true);
  JointPoolBelief belief(problem.prior, problem.pool, nullptr, problem.known);
  steps(state, problem, belief, {});
}
BENCHMARK(local_information_with_bias)
    ->Iterations(10)
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace acuity
