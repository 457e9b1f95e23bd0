// A plan of the budget: eight simulations of the rest of a campaign, about 200 choices each by the ratio
// rule, among 100,000 points with 8 inputs in [0, 2]^8 after 10 answers. Beside it the choices alone. CPU
// time of all threads.
#include <benchmark/benchmark.h>

#include <random>

#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/plan.hpp"

namespace acuity {
namespace {

constexpr Index pool_size = 100'000, inputs = 8, answers = 10;

struct Problem {
  explicit Problem(int level_count) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(0.0, 2.0);
    pool.resize(pool_size, inputs);
    for (Index i = 0; i < pool_size; ++i)
      for (Index k = 0; k < inputs; ++k) pool(i, k) = uniform(random);
    prior.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{.amplitude = 1.0});
    // Noise and cost as in W2, on a ladder from the lowest precision to the highest.
    for (int k = 0; k < level_count; ++k) {
      const double share = static_cast<double>(k) / (level_count - 1);
      offer.levels.push_back({.name = std::to_string(k),
                              .alpha = {},
                              .channel = GaussianChannel{0.09 * share},
                              .cost = 1.0 / (1.0 + 9.0 * share),
                              .value = {}});
    }
    offer.base_noise = Vector::Constant(pool_size, 0.01);
    for (Index i = 0; i < answers; ++i)
      known.push_back({Place(i * (pool_size / answers)), uniform(random), offer.channel(0, 0)});
  }

  Points pool;
  Prior prior;
  Offer offer;
  std::vector<Observation> known;
};

// Money for 200 choices by the ratio rule.
double budget_of(const Problem& problem) {
  GpPoolBelief belief(problem.prior, problem.pool, problem.known);
  double sum = 0.0;
  for (const Score& one : select_batch(belief, problem.offer, {}, Candidates(problem.offer), 200))
    sum += one.cost;
  return sum;
}

void choices(benchmark::State& state) {
  const Problem problem(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    GpPoolBelief belief(problem.prior, problem.pool, problem.known);
    benchmark::DoNotOptimize(select_batch(belief, problem.offer, {}, Candidates(problem.offer), 200));
  }
}
BENCHMARK(choices)->Arg(3)->Arg(21)->Iterations(3)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

void plan(benchmark::State& state) {
  const Problem problem(static_cast<int>(state.range(0)));
  const double budget = budget_of(problem);
  for (auto _ : state) {
    GpPoolBelief belief(problem.prior, problem.pool, problem.known);
    const BudgetPlan plan =
        plan_budget(belief, problem.offer, {}, Candidates(problem.offer, {.budget = budget}));
    state.counters["weight"] = plan.price_weight;
    state.counters["gain_percent"] = 100.0 * (plan.best().expected / plan.courses.front().expected - 1.0);
    Index count = 0;
    for (const PlannedCourse& course : plan.courses) count += course.count;
    state.counters["choices"] = static_cast<double>(count);
  }
}
BENCHMARK(plan)->Arg(3)->Arg(21)->Iterations(1)->MeasureProcessCPUTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace acuity
