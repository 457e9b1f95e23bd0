// What a goal is good for: the error where the model is needed, for the same money.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "acuity/acquisition/goal_information.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/joint_pool_belief.hpp"
#include "acuity/selection/selector.hpp"
#include "numerics/random.hpp"

namespace acuity::goal_error_test {
namespace {

// The sine of math.md 10 with both ends of its ladder (q = 1) on a pool from -5 to 10.
struct Sine {
  explicit Sine(std::uint32_t repeat)
      : draws(7, numerics::Purpose::data, repeat), pool(drawn(2500, -5.0, 10.0)) {
    prior.kernel = std::make_shared<StationaryKernel>(
        StationaryKernelOptions{.amplitude = 1.0, .lengthscale = Vector::Constant(1, 3.0 / frequency)});
    offer.base_noise = 0.01 * (1.0 + (pool.col(0).array() / 5.0).square());
    for (const auto& [noise, cost] : {std::pair(0.09, 0.1), std::pair(0.0, 1.0)})
      offer.levels.push_back(
          {.name = {}, .alpha = {}, .channel = GaussianChannel{noise}, .cost = cost, .value = {}});
    // The first ten points are known at the highest precision.
    for (Index i = 0; i < 10; ++i) known.push_back({Place(i), answer(i, 1, draws), offer.channel(i, 1)});
    goal = std::make_shared<const Goal>(Goal{drawn(60, 0.0, 2.0), Vector::Constant(60, 1.0 / 60.0), {}});
    tests = drawn(300, 0.0, 2.0);
  }

  static double truth(double x) { return 0.2 * x * std::sin(frequency * x); }
  Points drawn(Index count, double low, double high) {
    Points points(count, 1);
    for (double& x : points.reshaped()) x = draws.uniform(low, high);
    return points;
  }
  double answer(Index point, Index level, numerics::Draws& noise) const {
    return truth(pool(point, 0)) + std::sqrt(noise_variance(offer.channel(point, level))) * noise.normal();
  }

  // The mean squared error at test points of the goal once `budget` is spent besides the first answers.
  double error(std::shared_ptr<const Information> information, double budget, std::uint32_t repeat) const {
    Acquisition acquisition;
    acquisition.information = std::move(information);
    JointPoolBelief belief(prior, pool, goal, known, {.threads = 1});
    Candidates candidates(offer, {.budget = budget});
    for (Index i = 0; i < 10; ++i) candidates.close(i);
    Selector selector(offer, acquisition, 1);
    numerics::Draws noise(7, numerics::Purpose::answer, repeat);
    std::vector<Observation> all = known;
    while (const std::optional<Score> best = selector.choose(belief, candidates)) {
      const Channel channel = offer.channel(best->point, best->level);
      all.push_back({Place(best->point), answer(best->point, best->level, noise), channel});
      belief.condition(best->point, channel, all.back().value);
      candidates.buy(*best);
    }
    const Vector mean = GpPosterior(prior, Observations(all, pool)).predict(tests).mean;
    double squares = 0.0;
    for (Index i = 0; i < tests.rows(); ++i) squares += std::pow(mean(i) - truth(tests(i, 0)), 2);
    return squares / static_cast<double>(tests.rows());
  }

  static constexpr double frequency = 3.0;
  numerics::Draws draws;
  Points pool, tests;
  Prior prior;
  Offer offer;
  std::vector<Observation> known;
  std::shared_ptr<const Goal> goal;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

TEST(GoalError, ThoroughlyIsHalfOfThatByModelWhereTheGoalIsPartOfThePool) {
  constexpr double budget = 40.0;  // 50 with the first answers, as in math.md 10
  std::vector<double> by_model, by_goal;
  for (std::uint32_t repeat = 0; repeat < 20; ++repeat) {
    const Sine sine(repeat);
    by_model.push_back(sine.error(std::make_shared<ModelInformation>(), budget, repeat));
    by_goal.push_back(sine.error(std::make_shared<GoalInformation>(), budget, repeat));
  }
  EXPECT_LT(2.0 * median(by_goal), median(by_model)) << median(by_goal) << " and " << median(by_model);
}

}  // namespace
}  // namespace acuity::goal_error_test
