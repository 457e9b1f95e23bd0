#include "numerics/expression.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "acuity/base/errors.hpp"

namespace acuity::numerics::expression_test {
namespace {

std::string complaint(const std::string& text, const std::vector<std::string>& variables) {
  try {
    Expression expression(text, variables);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Expression, EvaluatesAtNewValuesEachTime) {
  const Expression expression("0.01 * (1 + (x/5)^2) + z", {"x", "z"});
  const double first[] = {0.0, 1.0}, second[] = {5.0, 0.0};
  EXPECT_DOUBLE_EQ(expression(first), 1.01);
  EXPECT_DOUBLE_EQ(expression(second), 0.02);
}

TEST(Expression, TakesInfinityAsAValue) {
  const Expression expression("1 / (1 + 9 / alpha)", {"alpha"});
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(expression(&infinite), 1.0);
}

TEST(Expression, SurvivesBeingMoved) {
  Expression first("x + 1", {"x"});
  const Expression second = std::move(first);
  const double x = 2.0;
  EXPECT_EQ(second(&x), 3.0);
}

TEST(Expression, NamesTheUnknownWord) {
  EXPECT_EQ(complaint("x + velocity", {"x", "y"}),
            "expression \"x + velocity\" names \"velocity\", must use x, y only");
}

TEST(Expression, SaysThatItDoesNotParse) {
  for (const char* text : {"", "x +", "(x", "x x", "1,2", "x = 3 +", "\"a\"", "x = 3", "0.01 * (x = 3)"})
    EXPECT_FALSE(complaint(text, {"x"}).empty()) << text;
}

TEST(Expression, ComparesWhereItMayNotAssign) {
  const double two = 2.0;
  EXPECT_EQ(Expression("(x == 2) + (x <= 2) + (x >= 3) + (x != 1)", {"x"})(&two), 3.0);
}

TEST(Expression, AnInputCalledLikeAConstantTakesItsPlace) {
  const double value = 7.0;
  EXPECT_EQ(Expression("_pi", {"_pi"})(&value), 7.0);
  EXPECT_NEAR(Expression("_pi + x", {"x"})(&value), 10.141592653589793, 1e-15);
}

TEST(Expression, AColumnThatIsNoIdentifierCannotBeNamedButDoesNoHarm) {
  const Expression expression("x * 2", {"a-b", "x", "sin"});
  const double values[] = {7.0, 4.0, 9.0};
  EXPECT_EQ(expression(values), 8.0);
}

}  // namespace
}  // namespace acuity::numerics::expression_test
