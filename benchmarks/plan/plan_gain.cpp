// What a plan of the budget gains over the ratio rule under the model, hyperparameters known: variances need
// no answers, so one run per pool is exact. Prints one line of JSON per problem, budget and seed; `run`
// beside this file makes the table.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "acuity/model/gp_pool_belief.hpp"
#include "acuity/selection/batch.hpp"
#include "acuity/selection/plan.hpp"

namespace acuity {
namespace {

struct Setting {
  std::string name;
  Index inputs;
  double side;  // of the box of points
  double lengthscale;
  double base_noise;  // at one end of the first input; twice that at the other
  std::vector<Level> levels;
  std::vector<double> budgets;
};

Level level(double variance, double cost) {
  return {.name = {}, .alpha = {}, .channel = GaussianChannel{variance}, .cost = cost, .value = {}};
}

// Noise 0.09 b on top of 0.01 at the cost (1 + 9 b)^-q, b = 1 / alpha from 0 to 1.
std::vector<Level> sine_levels(double q) {
  std::vector<Level> levels;
  for (int k = 0; k <= 20; ++k) {
    const double b = k / 20.0;
    levels.push_back(level(0.09 * b, std::pow(1.0 + 9.0 * b, -q)));
  }
  return levels;
}

std::vector<Setting> settings() {
  std::vector<Level> monte_carlo, replicates;
  for (const double histories : {1e4, 1e5, 1e6, 1e7})
    monte_carlo.push_back(level(400.0 / histories, 0.2 + histories / 1e6));
  for (const double r : {1.0, 2.0, 4.0, 8.0}) replicates.push_back(level(0.0625 / r, 40.0 + 12.0 * r));
  const std::vector<Level> meshes{level(0.01, 1.0), level(0.0009, 8.0), level(0.000064, 64.0)};
  return {{"sine, q = 0.8", 1, 5.0, 1.0, 0.01, sine_levels(0.8), {3, 10, 30}},
          {"sine, q = 0.2", 1, 5.0, 1.0, 0.01, sine_levels(0.2), {10, 30}},
          {"Monte Carlo with set-up", 2, 1.0, 0.4, 0.0, monte_carlo, {3, 10, 30, 100}},
          {"meshes", 3, 1.0, 0.6, 0.0, meshes, {300, 1000}},
          {"replicates", 3, 1.0, 0.6, 0.0, replicates, {500, 2000, 6000}}};
}

struct Course {
  double information = 0.0, sd = 0.0;
  std::vector<double> spent, told;  // cumulative
};

Course course(GpPoolBelief& belief, const Offer& offer, double budget, double weight) {
  Acquisition acquisition;
  acquisition.price_weight = weight;
  Course found;
  double spent = 0.0;
  std::vector<AnnotationHandle> handles;
  for (const Score& one :
       select_batch(belief, offer, acquisition, Candidates(offer, {.budget = budget, .repeat_points = true}),
                    100'000)) {
    found.information += one.information;
    spent += one.cost;
    found.spent.push_back(spent);
    found.told.push_back(found.information);
    handles.push_back(belief.condition(one.point, offer.channel(one.point, one.level), std::nullopt));
  }
  found.sd = std::sqrt(belief.marginals().variance.mean());
  belief.cancel_all(handles);
  return found;
}

// The money that the ratio rule needs to tell as much.
double money_for(const Course& ratio, double information) {
  for (std::size_t i = 0; i < ratio.told.size(); ++i)
    if (ratio.told[i] >= information) {
      const double before = i == 0 ? 0.0 : ratio.told[i - 1], spent = i == 0 ? 0.0 : ratio.spent[i - 1];
      return spent + (ratio.spent[i] - spent) * (information - before) / (ratio.told[i] - before);
    }
  return ratio.spent.back();
}

void run(const Setting& setting, double budget, unsigned seed, Index pool_size) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, setting.side);
  Points pool(pool_size, setting.inputs);
  for (Index i = 0; i < pool.size(); ++i) pool.data()[i] = uniform(random);
  const Offer offer{.levels = setting.levels,
                    .base_noise = setting.base_noise * (1.0 + (pool.col(0).array() / setting.side).square())};
  const Prior prior{.kernel = std::make_shared<StationaryKernel>(
                        StationaryKernelOptions{.lengthscale = Vector::Constant(1, setting.lengthscale)})};
  GpPoolBelief belief(prior, pool);
  const BudgetPlan plan =
      plan_budget(belief, offer, {}, Candidates(offer, {.budget = budget, .repeat_points = true}));
  const Course planned = course(belief, offer, budget, plan.price_weight);
  const Course ratio = course(belief, offer, budget, 1.0), rich = course(belief, offer, 2.0 * budget, 1.0);
  const nlohmann::json line{{"problem", setting.name},
                            {"budget", budget},
                            {"seed", seed},
                            {"lambda", plan.price_weight},
                            {"information", planned.information / ratio.information - 1.0},
                            {"sd", planned.sd / ratio.sd - 1.0},
                            {"saved", 1.0 - budget / std::max(budget, money_for(rich, planned.information))}};
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

}  // namespace
}  // namespace acuity

int main(int argc, char** argv) {
  const unsigned seeds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 20;
  const acuity::Index pool = argc > 2 ? std::atoi(argv[2]) : 1500;
  for (unsigned seed = 1; seed <= seeds; ++seed)
    for (const acuity::Setting& setting : acuity::settings())
      for (const double budget : setting.budgets) acuity::run(setting, budget, seed, pool);
}
