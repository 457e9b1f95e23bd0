#include "acuity/acquisition/optimal_class_precision.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "numerics/random.hpp"
#include "support/golden.hpp"

namespace acuity::optimal_class_precision_test {
namespace {

using numerics::Draws;
using numerics::Purpose;
using testing::close_relative;

class FunctionCost : public CostFunction {
 public:
  explicit FunctionCost(std::function<double(double)> function) : function_(std::move(function)) {}
  double operator()(double alpha) const override { return function_(alpha); }

 private:
  std::function<double(double)> function_;
};

double accuracy(const ClassPrecisionProblem& problem, double alpha) {
  return std::min(1.0, problem.kappa + problem.gamma * alpha);
}

double information(const ClassPrecisionProblem& problem, double alpha) {
  const double w = accuracy(problem, alpha), top = accuracy(problem, problem.high);
  switch (problem.information) {
    case ClassInformation::model:
      return class_model_information(problem.latent, w);
    case ClassInformation::model_taylor:
      return class_model_information_taylor(problem.latent, w);
    case ClassInformation::target_b:
      return class_target_information_b(problem.latent, w, top);
    default:
      return class_target_information_c(problem.latent, w, top);
  }
}

// The slow twin: the best on a dense grid.
std::optional<BestPrecision> best_on_grid(const ClassPrecisionProblem& problem, const CostFunction& cost,
                                          int count) {
  std::optional<BestPrecision> best;
  for (int i = 0; i <= count; ++i) {
    const double alpha = std::lerp(problem.low, problem.high, i / static_cast<double>(count));
    const double price = cost(alpha), worth = information(problem, alpha);
    if (!(std::isfinite(price) && price <= problem.remaining)) continue;
    if (!best || worth / price > best->value)
      best = BestPrecision{Precision::of(alpha), worth, price, worth / price};
  }
  return best;
}

// It is in range, affordable, what it says it is, and no precision on the grid is better, except by less than
// a tie and then at a higher price.
std::optional<BestPrecision> expect_best(const ClassPrecisionProblem& problem, const CostFunction& cost) {
  std::optional<BestPrecision> found = best_precision(problem, cost),
                               grid = best_on_grid(problem, cost, 1500);
  EXPECT_TRUE(found || !grid);
  if (!found) return found;
  EXPECT_GE(found->precision.alpha, problem.low);
  EXPECT_LE(found->precision.alpha, problem.high);
  EXPECT_LE(found->cost, problem.remaining);
  EXPECT_EQ(found->cost, cost(found->precision.alpha));
  EXPECT_EQ(found->information, information(problem, found->precision.alpha));
  EXPECT_EQ(found->value, found->information / found->cost);
  if (!grid) return found;
  EXPECT_GE(found->value, grid->value - 1.001e-9 * std::abs(grid->value));
  EXPECT_TRUE(found->value >= grid->value - 1e-12 * std::abs(grid->value) || found->cost < grid->cost)
      << found->value << " at " << found->precision.alpha << ", grid " << grid->value << " at "
      << grid->precision.alpha;
  return found;
}

ClassPrecisionProblem random_problem(Draws& draws) {
  ClassPrecisionProblem problem;
  problem.information = static_cast<ClassInformation>(draws.below(4));
  problem.latent = {.mean = draws.uniform(-3.0, 3.0),
                    .variance = std::exp(draws.uniform(std::log(1e-3), std::log(100.0)))};
  problem.kappa = draws.below(3) == 0 ? 0.5 : draws.uniform(0.5, 0.95);
  problem.gamma =
      draws.below(3) == 0 ? 1.0 - problem.kappa : draws.uniform(0.01, 1.0) * (1.0 - problem.kappa);
  if (draws.below(3) == 0) problem.low = draws.uniform(0.0, 0.4), problem.high = draws.uniform(0.6, 1.0);
  return problem;
}

void draw_budget(Draws& draws, const CostFunction& cost, ClassPrecisionProblem& problem) {
  if (draws.below(2) == 0) return;
  const double alpha = std::lerp(problem.low, problem.high, draws.uniform());
  problem.remaining = cost(alpha) * (draws.below(10) == 0 ? 0.5 : 1.0);
}

TEST(OptimalClassPrecision, HitsTheGoldenValues) {
  int interior = 0;
  for (const auto& g : testing::golden("alpha_opt").at("classification")) {
    const ClassPrecisionProblem problem{.latent = {.mean = g.at("mu"), .variance = g.at("s2")},
                                        .kappa = g.at("kappa"),
                                        .gamma = g.at("gamma")};
    const double b = g.at("b"), c = g.at("c"), q = g.at("q"), alpha = g.at("alpha");
    const FunctionCost formula([=](double a) { return b + c * std::pow(a, q); });
    const LinearCost linear({.b = b, .c = c});
    const auto found = q == 1.0 ? best_precision(problem, linear) : best_precision(problem, formula);
    SCOPED_TRACE(g.dump());
    ASSERT_TRUE(found);
    // The values are those of the golden optimum to 1e-10 in the place, much better than golden section.
    EXPECT_NEAR(found->precision.alpha, alpha, 1e-10);
    EXPECT_NEAR(found->information, g.at("mi"), 1e-10);
    EXPECT_TRUE(close_relative(found->value, g.at("objective"), 1e-12));
    EXPECT_NEAR(problem.gamma * class_model_information_slope(problem.latent, accuracy(problem, 0.5)),
                g.at("dmi_dalpha_at_half"), 1e-10);
    interior += g.at("optimum") == "interior" ? 1 : 0;
  }
  EXPECT_GE(interior, 3);
}

TEST(OptimalClassPrecision, UnderALinearCostItIsTheBetterAffordableEnd) {
  Draws draws(5, Purpose::data);
  int low = 0, high = 0, cut = 0;
  for (int i = 0; i < 150; ++i) {
    ClassPrecisionProblem problem = random_problem(draws);
    const bool falling = draws.below(6) == 0;
    const LinearCost cost({.b = falling ? 1.0 : draws.uniform(0.01, 1.0),
                           .c = falling ? -draws.uniform(0.1, 0.9) : draws.uniform(0.0, 2.0)});
    draw_budget(draws, cost, problem);
    const auto found = expect_best(problem, cost);
    if (!found || problem.information == ClassInformation::model_taylor) continue;
    const double alpha = found->precision.alpha;
    low += alpha == problem.low;
    high += alpha == problem.high;
    const bool last = !falling && cost(std::nextafter(alpha, 2.0)) > problem.remaining;
    const bool first = falling && cost(std::nextafter(alpha, -1.0)) > problem.remaining;
    cut += last || first;
    EXPECT_TRUE(alpha == problem.low || alpha == problem.high || last || first);
  }
  EXPECT_GT(low, 10);
  EXPECT_GT(high, 10);
  EXPECT_GT(cut, 10);
}

TEST(OptimalClassPrecision, NoGridBeatsTheScan) {
  Draws draws(6, Purpose::data);
  int interior = 0;
  for (int i = 0; i < 150; ++i) {
    ClassPrecisionProblem problem = random_problem(draws);
    const double b = draws.uniform(0.05, 1.0), c = draws.uniform(0.1, 2.0), q = draws.uniform(0.3, 6.0);
    const double wave = draws.below(3) == 0 ? draws.uniform(0.0, 0.2) : 0.0;
    const FunctionCost cost(
        [=](double alpha) { return b * (1.0 + wave * std::sin(20.0 * alpha)) + c * std::pow(alpha, q); });
    draw_budget(draws, cost, problem);
    const auto found = expect_best(problem, cost);
    if (found && found->precision.alpha > problem.low && found->precision.alpha < problem.high) ++interior;
  }
  EXPECT_GT(interior, 40);
}

TEST(OptimalClassPrecision, PowerCostsAreScannedToo) {
  Draws draws(7, Purpose::data);
  for (int i = 0; i < 60; ++i) {
    ClassPrecisionProblem problem = random_problem(draws);
    problem.low = std::max(problem.low, 0.01);  // at 0 a power cost is 0
    const PowerCost cost({.c = draws.uniform(0.0, 9.0), .q = draws.uniform(0.0, 3.0)});
    draw_budget(draws, cost, problem);
    expect_best(problem, cost);
  }
}

TEST(OptimalClassPrecision, WalksUpToTheEdgeOfAStep) {
  const FunctionCost steps([](double alpha) { return 0.2 + 0.3 * std::floor(4.0 * alpha); });
  Draws draws(8, Purpose::data);
  int edges = 0;
  for (int i = 0; i < 60; ++i) {
    ClassPrecisionProblem problem = random_problem(draws);
    if (draws.below(2) == 0) problem.remaining = draws.uniform(0.2, 1.5);
    const auto found = expect_best(problem, steps);
    if (!found || problem.information == ClassInformation::model_taylor) continue;
    const double alpha = found->precision.alpha;
    // More precision at the same price is worth more, so the choice is the last of its step.
    if (alpha < problem.high && found->value > 0.0) {
      EXPECT_NE(steps(alpha + 1e-7), found->cost) << alpha;
      ++edges;
    }
  }
  EXPECT_GT(edges, 10);
}

TEST(OptimalClassPrecision, FindsADipOfTheCostThatIsAllThatCanBePaidFor) {
  const ExpressionCost cost("(alpha - 0.503)^2 + 0.0001");
  const auto found = best_precision({.latent = {0.2, 1.0}, .remaining = 0.000101}, cost);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->precision.alpha, 0.503, 0.0011);
  EXPECT_FALSE(best_precision({.latent = {0.2, 1.0}, .remaining = 0.00009}, cost));
}

TEST(OptimalClassPrecision, WhereNothingCanBeLearnedItIsTheCheapest) {
  const LinearCost linear, falling({.b = 1.0, .c = -0.5});
  const ExpressionCost dip("1 + (alpha - 0.3)^2");
  for (const auto kind : {ClassInformation::model, ClassInformation::target_c}) {
    const ClassPrecisionProblem known{.information = kind, .latent = {0.4, 0.0}, .kappa = 0.8, .gamma = 0.2};
    EXPECT_EQ(best_precision(known, linear)->precision.alpha, 0.0);
    EXPECT_EQ(best_precision(known, falling)->precision.alpha, 1.0);
    EXPECT_NEAR(best_precision(known, dip)->precision.alpha, 0.3, 1e-7);
  }
  for (const auto kind : {ClassInformation::model, ClassInformation::target_b, ClassInformation::target_c}) {
    const ClassPrecisionProblem same{.information = kind, .latent = {0.4, 1.0}, .kappa = 0.9, .gamma = 0.0};
    EXPECT_EQ(best_precision(same, linear)->precision.alpha, 0.0);
    EXPECT_NEAR(best_precision(same, dip)->precision.alpha, 0.3, 1e-7);
  }
}

TEST(OptimalClassPrecision, ACoinIsNeverBoughtWhereSomethingBetterIs) {
  for (const auto kind : {ClassInformation::model, ClassInformation::target_b, ClassInformation::target_c}) {
    const ClassPrecisionProblem problem{.information = kind, .latent = {0.4, 1.0}};  // kappa 1/2: a coin at 0
    EXPECT_EQ(best_precision(problem, LinearCost({.b = 1e-6, .c = 1.0}))->precision.alpha, 1.0);
  }
}

TEST(OptimalClassPrecision, RefusesWhatIsNoProblem) {
  const ClassPrecisionProblem good{.latent = {0.1, 1.0}};
  const auto refused = [&](double ClassPrecisionProblem::* field, double value) {
    ClassPrecisionProblem problem = good;
    problem.*field = value;
    EXPECT_THROW(best_precision(problem, LinearCost()), std::invalid_argument) << value;
  };
  refused(&ClassPrecisionProblem::kappa, 0.4);
  refused(&ClassPrecisionProblem::kappa, 0.6);
  refused(&ClassPrecisionProblem::gamma, -0.1);
  refused(&ClassPrecisionProblem::gamma, std::nan(""));
  refused(&ClassPrecisionProblem::low, -0.1);
  refused(&ClassPrecisionProblem::low, 2.0);
  refused(&ClassPrecisionProblem::high, std::numeric_limits<double>::infinity());
  refused(&ClassPrecisionProblem::remaining, std::nan(""));
  EXPECT_THROW(best_precision({.latent = {0.1, -1.0}}, LinearCost()), std::invalid_argument);
  EXPECT_THROW(best_precision(good, LinearCost({.b = 0.0, .c = 1.0})), std::invalid_argument);
  EXPECT_THROW(best_precision(good, LinearCost({.b = 1.0, .c = -1.0})), std::invalid_argument);
  EXPECT_THROW(best_precision(good, FunctionCost([](double a) { return a > 0.4 && a < 0.5 ? -1.0 : 1.0; })),
               std::invalid_argument);
}

}  // namespace
}  // namespace acuity::optimal_class_precision_test
