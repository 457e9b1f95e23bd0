#include "acuity/acquisition/cost_function.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "acuity/base/errors.hpp"
#include "support/golden.hpp"

namespace acuity::cost_function_test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(CostFunction, HitsTheGoldenValues) {
  for (const auto& g : testing::golden("regression_mi").at("costs")) {
    const double cost = g.at("cost");
    if (g.at("kind") == "power") {
      const double beta = g.at("beta");
      EXPECT_TRUE(
          testing::close_relative(PowerCost({.c = g.at("c"), .q = g.at("q")})(1.0 / beta), cost, 1e-12));
    } else if (g.at("q") == 1.0) {
      EXPECT_TRUE(
          testing::close_relative(LinearCost({.b = g.at("b"), .c = g.at("c")})(g.at("alpha")), cost, 1e-12));
    } else {
      const ExpressionCost formula(std::to_string(g.at("b").get<double>()) + " + " +
                                   std::to_string(g.at("c").get<double>()) + " * alpha^" +
                                   std::to_string(g.at("q").get<double>()));
      EXPECT_TRUE(testing::close_relative(formula(g.at("alpha")), cost, 1e-12));
    }
  }
}

TEST(CostFunction, InfinitePrecisionIsAnOrdinaryArgument) {
  EXPECT_EQ(PowerCost({.c = 9.0, .q = 0.3})(infinite), 1.0);
  EXPECT_EQ(LinearCost({.b = 2.0, .c = 0.0})(infinite), 2.0);
  EXPECT_EQ(ExpressionCost("1 / (1 + 9 / alpha)")(infinite), 1.0);
}

TEST(CostFunction, RefusesShapesThatAreNone) {
  EXPECT_THROW(PowerCost({.c = -1.0}), std::invalid_argument);
  EXPECT_THROW(PowerCost({.q = -0.2}), std::invalid_argument);
  EXPECT_THROW(PowerCost({.q = std::nan("")}), std::invalid_argument);
  EXPECT_THROW(LinearCost({.b = infinite}), std::invalid_argument);
  EXPECT_THROW(ExpressionCost("alpha +"), InputError);
  EXPECT_THROW(ExpressionCost("beta"), InputError);
}

}  // namespace
}  // namespace acuity::cost_function_test
