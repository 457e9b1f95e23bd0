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
  const std::vector<Importance> found = importance_of(
      [](const Points& x) -> Vector {
        return 2.0 * x.col(1) + x.col(2) + 3.0 * x.col(1).cwiseProduct(x.col(2));
      },
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
}

TEST(Importance, OfAConstantIsNothing) {
  EXPECT_TRUE(importance_of([](const Points& x) -> Vector { return Vector::Constant(x.rows(), 5.0); },
                            uniform_pool(50, 2), {"a", "b"})
                  .empty());
}

}  // namespace
}  // namespace acuity::importance_test
