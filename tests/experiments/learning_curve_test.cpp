#include "experiments/learning_curve.hpp"

#include "data/quantile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace acuity::learning_curve_test {
namespace {

ExperimentRun make_run(const std::string& method, double shift) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  return {.method = method,
          .steps = {{.spent = 1.0, .error = none},
                    {.spent = 2.0, .error = 8.0 + shift},
                    {.spent = 4.0, .error = 4.0 + shift}}};
}

TEST(Quantile, IsLinearBetweenOrderStatistics) {
  EXPECT_EQ(quantile({3.0, 1.0, 2.0}, 0.5), 2.0);
  EXPECT_EQ(quantile({4.0, 1.0, 2.0, 3.0}, 0.25), 1.75);
  EXPECT_EQ(quantile({5.0}, 0.75), 5.0);
  EXPECT_THROW(quantile({}, 0.5), std::invalid_argument);
}

TEST(ErrorAt, InterpolatesAndHoldsTheLastValue) {
  const ExperimentRun run = make_run("model", 0.0);
  EXPECT_EQ(error_at(run, 2.0), 8.0);
  EXPECT_EQ(error_at(run, 3.0), 6.0);
  EXPECT_EQ(error_at(run, 4.0), 4.0);
  EXPECT_EQ(error_at(run, 9.0), 4.0);
}

TEST(LearningCurve, HoldsQuartilesOfItsMethodOnly) {
  const LearningCurve curve = learning_curve(
      "model", {make_run("model", 0), make_run("model", 1), make_run("model", 2), make_run("bald", 100)}, 2.0,
      4.0, 0.5);
  EXPECT_EQ(curve.cost, (std::vector<double>{2.0, 2.5, 3.0, 3.5, 4.0}));
  EXPECT_EQ(curve.median.front(), 9.0);
  EXPECT_EQ(curve.first_quartile.back(), 4.5);
  EXPECT_EQ(curve.third_quartile.back(), 5.5);
}

}  // namespace
}  // namespace acuity::learning_curve_test
