#include "acuity/acquisition/optimal_precision.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/lambert_w.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "acuity/acquisition/regression_information.hpp"
#include "numerics/random.hpp"
#include "support/golden.hpp"

namespace acuity::optimal_precision_test {
namespace {

using numerics::Draws;
using numerics::Purpose;
using testing::close;
using testing::close_relative;
using testing::number;

constexpr double infinite = std::numeric_limits<double>::infinity();

double information(const PrecisionProblem& problem, double beta) {
  const double added = problem.gamma * beta;
  if (problem.information == RegressionInformation::model)
    return model_information(problem.latent, problem.base, added);
  if (problem.information == RegressionInformation::target_b)
    return target_information_b(problem.latent, problem.base, added);
  return target_information_c(problem.latent, problem.base, added);
}

double cost_at(const CostFunction& cost, double beta) {
  return cost(beta > 0.0 ? 1.0 / beta : infinite);
}

bool affordable(const PrecisionProblem& problem, double cost) {
  return std::isfinite(cost) && cost <= problem.remaining;
}

// The slow twin: every precision of a dense grid, half of it equally spaced in 1 / alpha, half in its
// logarithm.
std::optional<BestPrecision> best_on_grid(const PrecisionProblem& problem, const CostFunction& cost,
                                          int count) {
  std::optional<BestPrecision> best;
  const auto offer = [&](double beta) {
    const double price = cost_at(cost, beta);
    if (!affordable(problem, price)) return;
    const double worth = information(problem, beta);
    if (!best || worth / price > best->value)
      best = BestPrecision{Precision::of_inverse(beta), worth, price, worth / price};
  };
  for (int i = 0; i <= count / 2; ++i) {
    offer(std::lerp(problem.inverse_low, problem.inverse_high, 2.0 * i / count));
    const double small = problem.inverse_high * std::pow(10.0, -16.0 * i / count);
    if (small >= problem.inverse_low) offer(small);
  }
  return best;
}

// What is to hold of every answer: it is in range, affordable, what it says it is, and no precision on the
// grid is better, except by less than a tie and then at a higher price.
void expect_best(const PrecisionProblem& problem, const CostFunction& cost, int count) {
  const std::optional<BestPrecision> found = best_precision(problem, cost),
                                     grid = best_on_grid(problem, cost, count);
  ASSERT_TRUE(found || !grid);
  if (!found) return;
  EXPECT_GE(found->precision.inverse, problem.inverse_low);
  EXPECT_LE(found->precision.inverse, problem.inverse_high);
  EXPECT_TRUE(affordable(problem, found->cost));
  EXPECT_EQ(found->cost, cost_at(cost, found->precision.inverse));
  EXPECT_EQ(found->information, information(problem, found->precision.inverse));
  EXPECT_EQ(found->value, found->information / found->cost);
  if (!grid) return;
  EXPECT_GE(found->value, grid->value * (1 - 1.001e-9));
  EXPECT_TRUE(found->value >= grid->value * (1 - 1e-12) || found->cost < grid->cost)
      << found->value << " at " << found->precision.inverse << ", grid " << grid->value << " at "
      << grid->precision.inverse;
}

double log_uniform(Draws& draws, double low, double high) {
  return std::exp(draws.uniform(std::log(low), std::log(high)));
}

PrecisionProblem random_problem(Draws& draws) {
  PrecisionProblem problem;
  problem.information = static_cast<RegressionInformation>(draws.below(3));
  problem.latent = log_uniform(draws, 1e-4, 1e2);
  problem.base = draws.below(8) == 0 ? 0.0 : log_uniform(draws, 1e-4, 1.0);
  problem.gamma = log_uniform(draws, 1e-3, 10.0);
  problem.inverse_low = draws.below(2) == 0 ? 0.0 : log_uniform(draws, 1e-4, 0.5);
  problem.inverse_high = draws.below(4) == 0 ? log_uniform(draws, 0.5, 3.0) : 1.0;
  return problem;
}

// Where the whole cost range is C(low) to C(high): sometimes everything, sometimes a part, sometimes nothing.
void draw_budget(Draws& draws, const CostFunction& cost, PrecisionProblem& problem) {
  if (draws.below(2) == 0) return;
  const double beta = std::lerp(problem.inverse_low, problem.inverse_high, draws.uniform());
  problem.remaining = cost_at(cost, beta) * (draws.below(10) == 0 ? 0.5 : 1.0);
}

PrecisionProblem golden_problem(const nlohmann::json& g) {
  PrecisionProblem problem{.latent = g.at("s"), .base = g.at("n0"), .gamma = g.at("gamma")};
  const std::string acquisition = g.value("acquisition", "mi_f");
  if (acquisition == "mi_y_b") problem.information = RegressionInformation::target_b;
  if (acquisition == "mi_y_c") problem.information = RegressionInformation::target_c;
  return problem;
}

TEST(OptimalPrecision, HitsTheGoldenValuesOfThePowerCost) {
  int interior = 0;
  for (const auto& g : testing::golden("alpha_opt").at("power")) {
    PrecisionProblem problem = golden_problem(g);
    problem.inverse_low = g.at("beta_min");
    problem.inverse_high = g.at("beta_max");
    const auto found = best_precision(problem, PowerCost({.c = g.at("c"), .q = g.at("q")}));
    ASSERT_TRUE(found);
    EXPECT_TRUE(close_relative(found->precision.inverse, g.at("beta"), 1e-12)) << g;
    EXPECT_TRUE(close_relative(found->value, g.at("objective"), 1e-13)) << g;
    interior += g.at("optimum") == "interior";
  }
  EXPECT_GT(interior, 15);
}

TEST(OptimalPrecision, HitsTheGoldenValuesOfTheLinearCost) {
  int interior = 0;
  for (const auto& g : testing::golden("alpha_opt").at("linear_regression")) {
    PrecisionProblem problem = golden_problem(g);
    problem.inverse_low = 1.0 / g.at("alpha_max").get<double>();
    problem.inverse_high = 1.0 / g.at("alpha_min").get<double>();
    const auto found = best_precision(problem, LinearCost({.b = g.at("b"), .c = g.at("c")}));
    ASSERT_TRUE(found);
    EXPECT_TRUE(close_relative(1.0 / found->precision.inverse, g.at("alpha"), 1e-12)) << g;
    EXPECT_TRUE(close_relative(found->value, g.at("objective"), 1e-13)) << g;
    interior += g.at("optimum") == "interior";
  }
  EXPECT_GE(interior, 5);
}

// math.md 5.3: where c = gamma / floor the optimum has a closed form.
TEST(OptimalPrecision, MakesTheNoiseProportionalToTheVarianceWhereTheFloorIsGammaOverC) {
  for (const double q : {0.3, 0.5, 0.8, 0.95}) {
    const double u = -1.0 / (q * boost::math::lambert_w0(-std::exp(-1.0 / q) / q)) - 1.0;
    for (const double latent : {0.3, 1.0, 7.0}) {
      const PrecisionProblem problem{
          .latent = latent, .base = 0.0625, .gamma = 64.0, .inverse_high = 4.0};  // exact in binary
      const auto found = best_precision(problem, PowerCost({.c = 1024.0, .q = q}));
      ASSERT_TRUE(found);
      const double noise = std::clamp(latent / u, problem.base, problem.base + 4.0 * problem.gamma);
      EXPECT_TRUE(close_relative(problem.base + problem.gamma * found->precision.inverse, noise, 1e-12)) << q;
    }
  }
}

// math.md 5.4: without a floor the optimum has a closed form.
TEST(OptimalPrecision, HasTheClosedFormOfALinearCostWithoutFloor) {
  for (const double b : {0.5, 1.0, 3.0, 40.0})
    for (const double latent : {0.5, 2.0, 30.0}) {
      const double c = 0.25, gamma = 0.5, scaled = b * latent / (c * gamma);
      const double alpha =
          gamma / latent * std::expm1(1.0 + boost::math::lambert_w0((scaled - 1.0) / std::exp(1.0)));
      const auto found = best_precision({.latent = latent, .gamma = gamma, .inverse_high = 100.0},
                                        LinearCost({.b = b, .c = c}));
      ASSERT_TRUE(found);
      EXPECT_TRUE(close_relative(1.0 / found->precision.inverse, alpha, 1e-12)) << b << ' ' << latent;
    }
}

TEST(OptimalPrecision, OfThePowerCostBeatsEveryGrid) {
  Draws draws(11, Purpose::data);
  int interior = 0;
  for (int i = 0; i < 6000 && !::testing::Test::HasFailure(); ++i) {
    PrecisionProblem problem = random_problem(draws);
    if (draws.below(2) == 0)  // where the choice is not obvious: signal and noise of about one size
      problem.latent = (problem.base + problem.gamma * draws.uniform()) * log_uniform(draws, 0.3, 30.0);
    // Around the corner of the case table: c near gamma / floor, q below 1; and everywhere.
    const double corner = problem.base > 0.0 ? problem.gamma / problem.base : 1.0;
    const double c =
        draws.below(2) == 0 ? corner * log_uniform(draws, 0.5, 2.0) : log_uniform(draws, 0.1, 1e3);
    const double q = draws.below(2) == 0 ? draws.uniform(0.4, 1.0) : draws.uniform(0.0, 3.0);
    const PowerCost cost({.c = c, .q = draws.below(20) == 0 ? 1.0 : q});
    draw_budget(draws, cost, problem);
    SCOPED_TRACE(i);
    expect_best(problem, cost, 2000);
    if (const auto found = best_precision(problem, cost))
      interior += found->precision.inverse > problem.inverse_low &&
                  found->precision.inverse < problem.inverse_high && std::isinf(problem.remaining);
  }
  EXPECT_GT(interior, 200);
}

TEST(OptimalPrecision, OfTheLinearCostBeatsEveryGrid) {
  Draws draws(12, Purpose::data);
  int interior = 0;
  for (int i = 0; i < 4000 && !::testing::Test::HasFailure(); ++i) {
    PrecisionProblem problem = random_problem(draws);
    const double dearest = 1.0 / std::max(problem.inverse_low, 1e-6);
    double b = log_uniform(draws, 1e-3, 30.0), c = log_uniform(draws, 1e-4, 3.0);
    if (draws.below(8) == 0) b = -0.9 * c / problem.inverse_high;  // cheap, but never for nothing
    if (draws.below(8) == 0) b = 0.0;
    if (draws.below(8) == 0 && b > 0.0) c = 0.0;
    if (draws.below(8) == 0 && b > 0.0 && problem.inverse_low > 0.0) c = -0.9 * b / dearest;
    const LinearCost cost({.b = b, .c = c});
    draw_budget(draws, cost, problem);
    SCOPED_TRACE(i);
    expect_best(problem, cost, 2000);
    if (const auto found = best_precision(problem, cost))
      interior += found->precision.inverse > problem.inverse_low &&
                  found->precision.inverse < problem.inverse_high && std::isinf(problem.remaining);
  }
  EXPECT_GT(interior, 200);
}

// Some other cost, known by nothing but its values.
class FunctionCost : public CostFunction {
 public:
  explicit FunctionCost(std::function<double(double)> function) : function_(std::move(function)) {}
  double operator()(double alpha) const override { return function_(alpha); }

 private:
  std::function<double(double)> function_;
};

TEST(OptimalPrecision, OfAnyOtherCostIsScannedAndPolished) {
  Draws draws(13, Purpose::data);
  for (int i = 0; i < 60; ++i) {
    PrecisionProblem problem = random_problem(draws);
    problem.inverse_high = 1.0;
    const double b = log_uniform(draws, 0.05, 5.0), c = log_uniform(draws, 1e-3, 1.0),
                 p = draws.uniform(0.3, 3.0);
    const FunctionCost power([=](double alpha) { return b + c * std::pow(alpha, p); });
    const FunctionCost waves([=](double alpha) { return b + c * (1.1 + std::sin(9.0 / alpha)); });
    const FunctionCost steps([=](double alpha) { return b + c * std::ceil(std::min(alpha, 6.0)); });
    for (const FunctionCost* cost : {&power, &waves, &steps}) {
      problem.remaining = infinite;
      draw_budget(draws, *cost, problem);
      SCOPED_TRACE(i);
      expect_best(problem, *cost, 100000);
    }
  }
}

TEST(OptimalPrecision, OfAKnownCostIsFoundByTheScanToo) {
  Draws draws(14, Purpose::data);
  for (int i = 0; i < 300; ++i) {
    PrecisionProblem problem = random_problem(draws);
    const PowerCost power({.c = log_uniform(draws, 0.1, 1e3), .q = draws.uniform(0.0, 1.5)});
    const LinearCost linear({.b = log_uniform(draws, 1e-2, 10.0), .c = log_uniform(draws, 1e-3, 1.0)});
    for (const CostFunction* cost :
         {static_cast<const CostFunction*>(&power), static_cast<const CostFunction*>(&linear)}) {
      const FunctionCost anonymous([cost](double alpha) { return (*cost)(alpha); });
      const auto exact = best_precision(problem, *cost), scanned = best_precision(problem, anonymous);
      ASSERT_TRUE(exact && scanned);
      EXPECT_TRUE(close_relative(scanned->value, exact->value, 1e-9)) << i;
    }
  }
}

// The case table of math.md 5.3.
TEST(OptimalPrecision, IsTheLowestWhereNoiseIsCheapAndQIsAtLeastOne) {
  Draws draws(15, Purpose::data);
  for (int i = 0; i < 1000; ++i) {
    PrecisionProblem problem = random_problem(draws);
    problem.base = log_uniform(draws, 1e-4, 1.0);
    problem.information = RegressionInformation::model;
    const PowerCost cost(
        {.c = problem.gamma / problem.base * draws.uniform(1.0001, 5.0), .q = draws.uniform(1.0, 3.0)});
    EXPECT_EQ(best_precision(problem, cost)->precision.inverse, problem.inverse_high);
  }
}

TEST(OptimalPrecision, IsOneOfTheEndsWhereQIsAtLeastOne) {
  Draws draws(16, Purpose::data);
  for (int i = 0; i < 1000; ++i) {
    const PrecisionProblem problem = random_problem(draws);
    const PowerCost cost({.c = log_uniform(draws, 0.1, 1e3), .q = draws.uniform(1.0, 3.0)});
    const double beta = best_precision(problem, cost)->precision.inverse;
    EXPECT_TRUE(beta == problem.inverse_low || beta == problem.inverse_high);
  }
}

TEST(OptimalPrecision, IsTheHighestForQOneAndALatentVarianceBelowTwiceDelta) {
  for (const double latent : {1e-6, 0.01, 0.2, 0.22}) {  // delta = 1/9 - 0.001 = 0.1101
    const auto found =
        best_precision({.latent = latent, .base = 1e-3, .gamma = 1.0}, PowerCost({.c = 9.0, .q = 1.0}));
    EXPECT_EQ(found->precision.inverse, 0.0) << latent;
  }
  EXPECT_EQ(best_precision({.latent = 30.0, .base = 1e-3, .gamma = 1.0}, PowerCost({.c = 9.0, .q = 1.0}))
                ->precision.inverse,
            1.0);
}

TEST(OptimalPrecision, HasOneMaximumWhereNoiseIsCheapAndQIsBelowOne) {
  Draws draws(17, Purpose::data);
  for (int i = 0; i < 200; ++i) {
    PrecisionProblem problem = random_problem(draws);
    problem.base = log_uniform(draws, 1e-4, 1.0);
    problem.information = RegressionInformation::model;
    const PowerCost cost(
        {.c = problem.gamma / problem.base * draws.uniform(1.0001, 5.0), .q = draws.uniform(0.05, 0.99)});
    const double best = best_precision(problem, cost)->precision.inverse;
    const auto at = [&](int k) { return std::lerp(problem.inverse_low, problem.inverse_high, k / 1000.0); };
    const auto value = [&](int k) { return information(problem, at(k)) / cost_at(cost, at(k)); };
    for (int k = 1; k <= 1000; ++k) {
      EXPECT_TRUE(at(k) > best || value(k) >= value(k - 1) * (1 - 1e-14));
      EXPECT_TRUE(at(k - 1) < best || value(k) <= value(k - 1) * (1 + 1e-14));
    }
  }
}

TEST(OptimalPrecision, ComparesTheHighestPrecisionWithTheInnerMaximumWhereThereAreTwo) {
  // delta > 0 and q < 1: both win, depending on the latent variance.
  const PowerCost cost({.c = 36.1, .q = 0.544});
  PrecisionProblem problem{.latent = 0.486, .base = 0.000851, .gamma = 0.21};
  EXPECT_TRUE(close(best_precision(problem, cost)->precision.inverse, 0.6978082955107826, 1e-12));
  problem.latent = 0.01;
  EXPECT_EQ(best_precision(problem, cost)->precision.inverse, 0.0);
}

TEST(OptimalPrecision, IsTheHighestWherePrecisionDoesNotCostMore) {
  const PrecisionProblem problem{.latent = 1.0, .base = 0.1, .gamma = 1.0, .inverse_low = 0.1};
  EXPECT_EQ(best_precision(problem, PowerCost({.c = 9.0, .q = 0.0}))->precision.inverse, 0.1);
  EXPECT_EQ(best_precision(problem, PowerCost({.c = 0.0, .q = 2.0}))->precision.inverse, 0.1);
  EXPECT_EQ(best_precision(problem, LinearCost({.b = 1.0, .c = 0.0}))->precision.inverse, 0.1);
  EXPECT_EQ(best_precision(problem, LinearCost({.b = 1.0, .c = -0.05}))->precision.inverse, 0.1);
}

TEST(OptimalPrecision, BuysOnlyWhatIsAffordable) {
  // Power: alone it would be the highest precision, at cost 1.
  PrecisionProblem problem{.latent = 0.01, .base = 1e-3, .gamma = 1.0};
  const PowerCost power({.c = 9.0, .q = 0.5});
  EXPECT_EQ(best_precision(problem, power)->precision.inverse, 0.0);
  problem.remaining = 0.5;  // (1 + 9 beta)^-0.5 <= 0.5
  EXPECT_TRUE(close_relative(best_precision(problem, power)->precision.inverse, 3.0 / 9.0, 1e-14));
  EXPECT_LE(best_precision(problem, power)->cost, 0.5);
  problem.remaining = 0.3;  // the lowest precision costs 0.316
  EXPECT_FALSE(best_precision(problem, power));
  problem.remaining = 0.0;
  EXPECT_FALSE(best_precision(problem, power));
  // Rising, falling and constant linear costs.
  problem.remaining = 5.0;
  EXPECT_TRUE(close_relative(best_precision(problem, LinearCost({.b = 4.0, .c = 0.01}))->precision.inverse,
                             0.01, 1e-12));
  problem.inverse_low = 0.1;
  EXPECT_EQ(best_precision(problem, LinearCost({.b = 5.5, .c = -0.1}))->precision.inverse, 0.1);
  problem.remaining = 4.4;
  EXPECT_FALSE(best_precision(problem, LinearCost({.b = 5.5, .c = -0.1})));
  EXPECT_TRUE(best_precision(problem, LinearCost({.b = 4.4, .c = 0.0})));
  EXPECT_FALSE(best_precision(problem, LinearCost({.b = 4.5, .c = 0.0})));
  EXPECT_FALSE(best_precision(problem, FunctionCost([](double) { return 4.5; })));
}

TEST(OptimalPrecision, TakesWhatLeavesNoDoubtIfItCanBePaid) {
  PrecisionProblem problem{
      .information = RegressionInformation::target_b, .latent = 0.1, .base = 0.2, .gamma = 1.0};
  const PowerCost power({.c = 9.0, .q = 2.0});
  EXPECT_EQ(best_precision(problem, power)->precision.inverse, 0.0);
  EXPECT_EQ(best_precision(problem, power)->value, infinite);
  EXPECT_EQ(best_precision(problem, FunctionCost([](double) { return 2.0; }))->value, infinite);
  problem.remaining = 0.5;
  EXPECT_GT(best_precision(problem, power)->precision.inverse, 0.0);
  problem.remaining = infinite;
  EXPECT_LT(best_precision(problem, LinearCost())->value, infinite);  // infinite precision costs as much
  problem = {.latent = 0.1, .base = 0.0, .gamma = 1.0};
  EXPECT_EQ(best_precision(problem, power)->value, infinite);
  EXPECT_EQ(best_precision(problem, LinearCost({.b = 1.0, .c = 0.0}))->value, infinite);
}

TEST(OptimalPrecision, IsTheCheapestWhereNothingCanBeLearned) {
  const FunctionCost valley([](double alpha) { return 1.0 + std::pow(1.0 / alpha - 0.3, 2); });
  for (const double base : {0.0, 0.1}) {
    const PrecisionProblem problem{.latent = 0.0, .base = base, .gamma = 1.0, .inverse_low = 0.1};
    const auto power = best_precision(problem, PowerCost()), linear = best_precision(problem, LinearCost()),
               falling = best_precision(problem, LinearCost({.b = 2.0, .c = -0.1})),
               scanned = best_precision(problem, valley);
    EXPECT_EQ(power->precision.inverse, 1.0);
    EXPECT_EQ(power->value, 0.0);
    EXPECT_EQ(linear->precision.inverse, 1.0);
    EXPECT_EQ(falling->precision.inverse, 0.1);
    EXPECT_TRUE(close(scanned->precision.inverse, 0.3, 1e-7));
  }
  // Precision that changes nothing is not paid for either.
  EXPECT_EQ(best_precision({.latent = 1.0, .base = 0.1, .gamma = 0.0}, PowerCost())->precision.inverse, 1.0);
}

TEST(OptimalPrecision, TakesTheCheaperOfTwoThatTie) {
  // c = gamma / floor, q = 1 and a tiny latent variance: every precision is worth s / 2 per cost.
  const auto found =
      best_precision({.latent = 1e-12, .base = 0.25, .gamma = 1.0}, PowerCost({.c = 4.0, .q = 1.0}));
  EXPECT_EQ(found->precision.inverse, 1.0);
}

TEST(OptimalPrecision, SurvivesTheEndsOfTheRangeOfDoubles) {
  const PowerCost vague({.c = 9.0, .q = 0.8}), flat({.c = 9.0, .q = 0.0}), free({.c = 0.0, .q = 1.0}),
      steep({.c = 1e300, .q = 0.5});
  const LinearCost linear, constant({.b = 1.0, .c = 0.0});
  const FunctionCost squared([](double alpha) { return 1.0 + alpha * alpha; });
  const std::vector<const CostFunction*> costs{&vague, &flat, &free, &steep, &linear, &constant, &squared};
  const double sizes[] = {0.0, 1e-300, 1e-20, 1.0, 1e20, 1e300};
  for (const auto kind :
       {RegressionInformation::model, RegressionInformation::target_b, RegressionInformation::target_c})
    for (const double latent : sizes)
      for (const double base : sizes)
        for (const double gamma : sizes)
          for (const CostFunction* cost : costs) {
            const auto found =
                best_precision({.information = kind, .latent = latent, .base = base, .gamma = gamma}, *cost);
            ASSERT_TRUE(found);
            EXPECT_GE(found->value, 0.0);  // false for NaN
            EXPECT_GT(found->cost, 0.0);
            EXPECT_GE(found->precision.inverse, 0.0);
            EXPECT_LE(found->precision.inverse, 1.0);
          }
}

TEST(OptimalPrecision, DoesNotDependOnTheUnitsOfY) {
  for (const double unit : {1e-280, 1e-100, 1e100, 1e280})
    for (const auto kind :
         {RegressionInformation::model, RegressionInformation::target_b, RegressionInformation::target_c}) {
      const PrecisionProblem problem{
          .information = kind, .latent = 0.3, .base = 0.02, .gamma = 0.1, .inverse_low = 0.01};
      PrecisionProblem scaled = problem;
      scaled.latent *= unit, scaled.base *= unit, scaled.gamma *= unit;
      const PowerCost power({.c = 20.0, .q = 0.5});
      const LinearCost linear({.b = 2.0, .c = 0.3});
      EXPECT_TRUE(close_relative(best_precision(scaled, power)->precision.inverse,
                                 best_precision(problem, power)->precision.inverse, 1e-12));
      EXPECT_TRUE(close_relative(best_precision(scaled, linear)->precision.inverse,
                                 best_precision(problem, linear)->precision.inverse, 1e-12));
    }
}

TEST(OptimalPrecision, FindsADipOfTheCostThatIsAllThatCanBePaidFor) {
  const ExpressionCost cost("(alpha - 50)^2 + 0.0001");
  const std::optional<BestPrecision> best = best_precision(
      {.latent = 1.0, .base = 0.1, .gamma = 1.0, .inverse_low = 0.01, .inverse_high = 1.0, .remaining = 0.5},
      cost);
  ASSERT_TRUE(best);
  EXPECT_NEAR(1.0 / best->precision.inverse, 50.0, 1.0);
  EXPECT_LE(best->cost, 0.5);
}

TEST(OptimalPrecision, RefusesWhatIsNoProblem) {
  const PrecisionProblem good{.latent = 1.0, .base = 0.1, .gamma = 1.0};
  const auto with = [&](double PrecisionProblem::* field, double value) {
    PrecisionProblem problem = good;
    problem.*field = value;
    return problem;
  };
  EXPECT_THROW(best_precision(with(&PrecisionProblem::latent, -1.0), PowerCost()), std::invalid_argument);
  EXPECT_THROW(best_precision(with(&PrecisionProblem::base, infinite), PowerCost()), std::invalid_argument);
  EXPECT_THROW(best_precision(with(&PrecisionProblem::gamma, std::nan("")), PowerCost()),
               std::invalid_argument);
  EXPECT_THROW(best_precision(with(&PrecisionProblem::inverse_low, 2.0), PowerCost()), std::invalid_argument);
  EXPECT_THROW(best_precision(with(&PrecisionProblem::remaining, std::nan("")), PowerCost()),
               std::invalid_argument);
  EXPECT_THROW(best_precision({.latent = 1e308, .base = 1e308, .gamma = 1.0}, PowerCost()),
               std::invalid_argument);
  // Costs that are not above 0 somewhere in range: at the lowest precision, at the highest, in between.
  EXPECT_THROW(best_precision(good, LinearCost({.b = -2.0, .c = 1.0})), std::invalid_argument);
  EXPECT_THROW(best_precision(good, LinearCost({.b = 2.0, .c = -1.0})), std::invalid_argument);
  EXPECT_THROW(
      best_precision(good, FunctionCost([](double alpha) { return alpha > 2.0 && alpha < 3.0 ? 0.0 : 1.0; })),
      std::invalid_argument);
}

}  // namespace
}  // namespace acuity::optimal_precision_test
