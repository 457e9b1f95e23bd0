#include "judgement/importance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/random.hpp"

namespace acuity::importance_test {
namespace {

Points uniform_pool(Index rows, Index inputs) {
  numerics::Draws draws(3, numerics::Purpose::data, 9);
  Points pool(rows, inputs);
  for (double& x : pool.reshaped()) x = draws.uniform(-1.0, 1.0);
  return pool;
}

// f = 2 x + y + 3 x y, inputs uniform on [-1, 1]: variances 4/3, 1/3 and 1.
TEST(Importance, IsTheShareOfTheVarianceAloneAndWithInteractions) {
  const std::vector<Importance> found =
      importance_of({.mean = [](const Points& x) -> Vector {
                      return 2.0 * x.col(1) + x.col(2) + 3.0 * x.col(1).cwiseProduct(x.col(2));
                    }},
                    uniform_pool(4000, 3), {"idle", "x", "y"});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].input, "x");
  EXPECT_EQ(found[2].input, "idle");
  const double all = 4.0 / 3.0 + 1.0 / 3.0 + 1.0;
  EXPECT_NEAR(found[0].first, 4.0 / 3.0 / all, 0.1);
  EXPECT_NEAR(found[0].total, (4.0 / 3.0 + 1.0) / all, 0.1);
  EXPECT_NEAR(found[1].first, 1.0 / 3.0 / all, 0.1);
  EXPECT_NEAR(found[1].total, (1.0 / 3.0 + 1.0) / all, 0.1);
  EXPECT_NEAR(found[2].total, 0.0, 1e-12);
  EXPECT_NEAR(found[2].effect, 0.0, 1e-12);
  for (const Importance& one : {found[0], found[1]}) {
    EXPECT_GT(one.first_error, 0.0);
    EXPECT_LT(one.total_error, 0.06);
  }
}

// Inputs that depend on each other: pairs of pool points that exchange one value are no pool points.
TEST(Importance, AloneIsNeverAboveTheTotal) {
  Points pool = uniform_pool(500, 4);
  pool.col(1) = pool.col(0) + 0.1 * pool.col(1);
  pool.col(2) = -pool.col(0) + 0.2 * pool.col(2);
  const std::vector<Importance> found =
      importance_of({.mean = [](const Points& x) -> Vector {
                      return x.col(0) + x.col(1) + 0.5 * x.col(2) + 0.01 * x.col(3);
                    }},
                    pool, {"a", "b", "c", "d"});
  ASSERT_EQ(found.size(), 4U);
  double alone = 0.0;
  for (const Importance& one : found) {
    EXPECT_LE(one.first, one.total) << one.input;
    EXPECT_NEAR(one.first, one.total, 3.0 * (one.first_error + one.total_error)) << "no interactions";
    alone += one.first;
  }
  EXPECT_LT(alone, 1.1);
}

TEST(Importance, IsUncertainIfTheFunctionIs) {
  const Points pool = uniform_pool(300, 2);
  const auto mean = [](const Points& x) -> Vector { return x.col(0) + 0.2 * x.col(1); };
  const auto slopes = [](const Points& x) -> Matrix {  // of both inputs, with a standard deviation of 0.5
    return 0.25 * x * x.transpose();
  };
  const std::vector<Importance> sure = importance_of({.mean = mean}, pool, {"x", "y"}),
                                unsure =
                                    importance_of({.mean = mean, .covariance = slopes}, pool, {"x", "y"});
  EXPECT_EQ(sure[0].total, unsure[0].total);
  EXPECT_LT(sure[1].total_error, 0.02);
  EXPECT_GT(unsure[1].total_error, 0.1);
}

// The effect is in the unit of f, the same for a straight line and a wave.
TEST(Importance, TheEffectIsTheRangeOfPredictionsAlongTheInput) {
  const std::vector<InputEffect> effects = input_effects(
      [](const Points& x) -> Vector { return 3.0 * x.col(0) + 0.001 * x.col(1); }, uniform_pool(400, 2));
  EXPECT_NEAR(effects[0].range, 6.0, 0.1);
  EXPECT_NEAR(effects[1].range, 0.002, 0.0001);
}

TEST(Importance, OfAConstantIsNothing) {
  EXPECT_TRUE(
      importance_of({.mean = [](const Points& x) -> Vector { return Vector::Constant(x.rows(), 5.0); }},
                    uniform_pool(50, 2), {"a", "b"})
          .empty());
}

}  // namespace
}  // namespace acuity::importance_test
