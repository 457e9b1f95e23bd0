// Whether a plan of the budget pays for classes: campaigns with drawn truths and answers, hyperparameters
// known, chosen by the best ratio and with plans that simulate the rest of the money by the expected
// reduction (docs/math.md eq. (7.2)). Prints one line of JSON per problem, budget and seed; `run --classes`
// makes the table.
#include <Eigen/Cholesky>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "acuity/model/ep_pool_belief.hpp"
#include "acuity/selection/plan.hpp"
#include "acuity/selection/selector.hpp"

namespace acuity {
namespace {

struct Setting {
  std::string name;
  std::vector<Level> levels;
  std::vector<double> budgets;
};

Level level(double accuracy, double cost) {
  return {.name = {}, .alpha = {}, .channel = FlipChannel{accuracy}, .cost = cost, .value = {}};
}

// Price lists between which capacities per cost differ little, so that much depends on the rule.
std::vector<Setting> settings() {
  return {{"0.65 / 0.8 / 0.95 at 1 / 2.5 / 8", {level(0.65, 1), level(0.8, 2.5), level(0.95, 8)}, {40, 120}},
          {"0.7 / 0.99 at 1 / 8", {level(0.7, 1), level(0.99, 8)}, {40, 120}},
          {"0.6 / 0.75 / 0.9 at 1 / 6 / 16", {level(0.6, 1), level(0.75, 6), level(0.9, 16)}, {60, 180}},
          {"set-up: 0.6 / 0.75 / 0.9 at 1.2 / 1.5 / 2.5",
           {level(0.6, 1.2), level(0.75, 1.5), level(0.9, 2.5)},
           {20, 60}}};
}

double probability(double mean, double variance) {
  return 0.5 * std::erfc(-mean / std::sqrt(2.0 * (1.0 + variance)));
}

struct World {
  Points pool;
  Prior prior;
  Vector truth;  // of f
  unsigned seed;

  World(unsigned of_seed, Index size) : pool(size, 2), seed(of_seed) {
    std::mt19937_64 random(of_seed);
    std::uniform_real_distribution<double> uniform(0.0, 4.0);
    std::normal_distribution<double> normal;
    for (Index i = 0; i < pool.size(); ++i) pool.data()[i] = uniform(random);
    prior.kernel = std::make_shared<StationaryKernel>(
        StationaryKernelOptions{.amplitude = 2.0, .lengthscale = Vector::Constant(1, 1.0)});
    Matrix covariance = prior.kernel->cross(pool, pool);
    covariance.diagonal().array() += 1e-8;
    Vector draws(size);
    for (Index i = 0; i < size; ++i) draws(i) = normal(random);
    truth = Eigen::LLT<Matrix>(covariance).matrixL() * draws;
  }

  // The same for the same point, level and repetition, whatever was asked before.
  double answer(Index point, Index level, int repetition, double accuracy) const {
    std::seed_seq key{seed, static_cast<unsigned>(point), static_cast<unsigned>(level),
                      static_cast<unsigned>(repetition)};
    std::mt19937_64 random(key);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    const double clean = uniform(random) < probability(truth(point), 0.0) ? 1.0 : -1.0;
    return uniform(random) < accuracy ? clean : -clean;
  }
};

struct Outcome {
  double error = 0.0;    // root mean square of the probability of a class over the pool
  double surplus = 0.0;  // of the mean log loss over that of the truth, in bits
  double lowest_weight = 1.0;
};

Outcome campaign(const World& world, const Setting& setting, double budget, bool plans) {
  const Index size = world.pool.rows();
  const Offer offer{.levels = setting.levels, .base_noise = Vector::Zero(size)};
  Acquisition acquisition;
  acquisition.information = std::make_shared<ClassModelInformation>();
  EpPoolBelief belief(world.prior, world.pool, {}, 1);
  Candidates candidates(offer, {.budget = budget, .repeat_points = true});
  std::map<std::pair<Index, Index>, int> repetitions;
  Outcome outcome;
  double planned_at = INFINITY;
  for (;;) {
    if (plans && planned_at - candidates.remaining() >= 0.1 * budget) {
      acquisition.price_weight = 1.0;
      acquisition.price_weight = plan_budget(belief, offer, acquisition, candidates,
                                             {.weights = {1.0, 0.8, 0.6, 0.2, 0.0}, .threads = 1})
                                     .price_weight;
      outcome.lowest_weight = std::min(outcome.lowest_weight, acquisition.price_weight);
      planned_at = candidates.remaining();
    }
    const auto best = Selector(offer, acquisition, 1).choose(belief, candidates);
    if (!best) break;
    const Channel channel = offer.channel(best->point, best->level);
    const int repetition = repetitions[{best->point, best->level}]++;
    belief.condition(
        best->point, channel,
        world.answer(best->point, best->level, repetition, std::get<FlipChannel>(channel).accuracy()));
    candidates.buy(*best);
  }
  const Marginals& found = belief.marginals();
  for (Index i = 0; i < size; ++i) {
    const double p = probability(world.truth(i), 0.0), q = probability(found.mean(i), found.variance(i));
    const auto bits = [](double share, double claimed) {
      return share > 0.0 ? -share * std::log2(std::max(claimed, 1e-300)) : 0.0;
    };
    outcome.error += (p - q) * (p - q) / static_cast<double>(size);
    outcome.surplus += (bits(p, q) + bits(1.0 - p, 1.0 - q) - bits(p, p) - bits(1.0 - p, 1.0 - p)) /
                       static_cast<double>(size);
  }
  outcome.error = std::sqrt(outcome.error);
  return outcome;
}

}  // namespace
}  // namespace acuity

int main(int argc, char** argv) {
  const unsigned seeds = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 20;
  const acuity::Index pool = argc > 2 ? std::atoi(argv[2]) : 100;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const acuity::World world(seed, pool);
    for (const acuity::Setting& setting : acuity::settings())
      for (const double budget : setting.budgets) {
        const acuity::Outcome ratio = campaign(world, setting, budget, false),
                              planned = campaign(world, setting, budget, true);
        const nlohmann::json line{{"problem", setting.name},
                                  {"budget", budget},
                                  {"seed", seed},
                                  {"lambda", planned.lowest_weight},
                                  {"error", planned.error / ratio.error - 1.0},
                                  {"surplus", planned.surplus / ratio.surplus - 1.0}};
        std::printf("%s\n", line.dump().c_str());
        std::fflush(stdout);
      }
  }
}
