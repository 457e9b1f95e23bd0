// What a choice for the pool costs, beside one by information about f: a step of a campaign (an answer is
// taken in and the next choice made), and the first choice from the answers alone, as in one `acuity ask`. 8
// inputs, three levels. CPU time of all threads. `product` is the limit: one matrix product with as many
// operations as the covariances between pool and goal take in the first choice.
#include <benchmark/benchmark.h>

#include <random>

#include "acuity/acquisition/goal_information.hpp"
#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "acuity/selection/selector.hpp"

namespace acuity {
namespace {

constexpr Index inputs = 8;
constexpr double own_noise = 0.02;

struct Problem {
  Problem(Index pool_size, Index answers) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(-1.7, 1.7);
    pool.resize(pool_size, inputs);
    for (double& x : pool.reshaped()) x = uniform(random);
    prior.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
        .family = KernelFamily::matern52, .amplitude = 1.0, .lengthscale = Vector::Constant(inputs, 3.5)});
    const double sd[] = {0.5, 0.15, 0.03}, cost[] = {5.0, 8.0, 20.0};
    for (int k = 0; k < 3; ++k)
      offer.levels.push_back({.name = std::to_string(k),
                              .alpha = {},
                              .channel = GaussianChannel{sd[k] * sd[k]},
                              .cost = cost[k],
                              .value = {}});
    offer.base_noise = Vector::Constant(pool_size, own_noise);
    for (Index i = 0; i < answers; ++i)
      known.push_back({Place(i * (pool_size / answers)), uniform(random), offer.channel(0, 1)});
  }

  std::shared_ptr<const Goal> goal(Index size) const {
    std::vector<Index> rows;
    for (Index m = 0; m < size; ++m) rows.push_back(m * (pool.rows() / size));
    return std::make_shared<const Goal>(Goal{Points(pool(rows, Eigen::all)),
                                             Vector::Constant(size, 1.0 / static_cast<double>(size)),
                                             Vector::Constant(size, own_noise)});
  }

  // 0 points: without a goal.
  std::unique_ptr<PoolBelief> belief(Index goal_points) const {
    if (goal_points == 0) return std::make_unique<GpPoolBelief>(prior, pool, known, 1);
    return std::make_unique<JointPoolBelief>(prior, pool, goal(goal_points), known,
                                             JointPoolOptions{.threads = 1});
  }

  Points pool;
  Prior prior;
  Offer offer;
  std::vector<Observation> known;
};

// The criterion of the name "prediction" if it is 1.
Acquisition acquisition_for(Index goal_points, std::int64_t by_prediction) {
  if (goal_points == 0) return {};
  return {.information = std::make_shared<GoalInformation>(by_prediction != 0 ? GoalCriterion::prediction
                                                                              : GoalCriterion::variance)};
}

void first_choice(benchmark::State& state) {
  const Problem problem(state.range(0), state.range(1));
  const Acquisition acquisition = acquisition_for(state.range(2), state.range(3));
  const Candidates candidates(problem.offer);
  for (auto _ : state) {
    const std::unique_ptr<PoolBelief> belief = problem.belief(state.range(2));
    benchmark::DoNotOptimize(Selector(problem.offer, acquisition, 1).choose(*belief, candidates));
  }
}

void step(benchmark::State& state) {
  const Problem problem(state.range(0), state.range(1));
  const Acquisition acquisition = acquisition_for(state.range(2), state.range(3));
  const std::unique_ptr<PoolBelief> belief = problem.belief(state.range(2));
  Candidates candidates(problem.offer);
  Selector selector(problem.offer, acquisition, 1);
  for (int warm = 0; warm < 2; ++warm) selector.choose(*belief, candidates);
  for (auto _ : state) {
    const Score best = *selector.choose(*belief, candidates);
    belief->condition(best.point, problem.offer.channel(best.point, best.level), 0.5);
    candidates.buy(best);
  }
}

void product(benchmark::State& state) {
  const Index pool = state.range(0), answers = state.range(1), goal = state.range(2);
  const Matrix v = Matrix::Random(answers, pool), g = Matrix::Random(answers, goal);
  Matrix c(goal, pool);
  for (auto _ : state) {
    c.noalias() = g.transpose() * v;
    benchmark::DoNotOptimize(c.data());
  }
  const double operations = 2.0 * static_cast<double>(pool) * static_cast<double>(answers * goal);
  state.counters["GFlop"] = 1e-9 * operations;
}

void sizes(benchmark::internal::Benchmark* one) {
  one->ArgNames({"pool", "answers", "goal", "prediction"});
  for (const std::int64_t pool : {10'000, 20'000})
    for (const std::int64_t answers : {100, 300}) {
      one->Args({pool, answers, 0, 0});
      for (const std::int64_t goal : {100, 200, 500})
        for (const std::int64_t prediction : {0, 1}) one->Args({pool, answers, goal, prediction});
    }
  one->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK(first_choice)->Apply(sizes)->Iterations(3);
BENCHMARK(step)->Apply(sizes)->Iterations(20);
BENCHMARK(product)
    ->ArgNames({"pool", "answers", "goal"})
    ->Args({20'000, 300, 500})
    ->Args({10'000, 100, 500})
    ->Iterations(3)
    ->MeasureProcessCPUTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace acuity
