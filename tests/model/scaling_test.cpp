#include "acuity/model/scaling.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace acuity::scaling_test {
namespace {

TEST(Scaling, GivesMeanZeroAndStandardDeviationOneWithDivisorN) {
  Points x(4, 2);
  x << 1, 10, 2, 10, 3, 10, 6, 50;
  const Points scaled = Scaling::standardise(x).apply(x);
  for (Index k = 0; k < 2; ++k) {
    EXPECT_NEAR(scaled.col(k).mean(), 0.0, 1e-15);
    EXPECT_NEAR(scaled.col(k).squaredNorm() / 4.0, 1.0, 1e-15);
  }
}

TEST(Scaling, AConstantColumnKeepsItsUnits) {
  const Points x = Points::Constant(7, 1, 0.1);  // seven times 0.1 does not average to exactly 0.1
  Points other(1, 1);
  other << 1.1;
  const Scaling scaling = Scaling::standardise(x);
  EXPECT_EQ(scaling.apply(x).cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ(scaling.apply(other)(0, 0), 1.0);
}

TEST(Scaling, TakesInputsWhoseSquaresAreNoNumbers) {
  Points x(3, 2);
  x << 0, 0, 1e200, 1e-200, 2e200, 2e-200;
  const Points scaled = Scaling::standardise(x).apply(x);
  for (Index k = 0; k < 2; ++k) EXPECT_NEAR(scaled(2, k), std::sqrt(1.5), 1e-14);
}

TEST(Scaling, OfNothingLeavesThingsAsTheyAre) {
  EXPECT_TRUE(Scaling::standardise(Points(0, 3)).is_identity());
  EXPECT_EQ(Scaling().apply(Points::Constant(1, 1, 5.0))(0, 0), 5.0);
}

TEST(Scaling, UndoesAChangeOfUnits) {
  Points x = Points::Random(20, 3), larger = x;
  larger.col(1) *= 1000.0;
  EXPECT_LT(
      (Scaling::standardise(x).apply(x) - Scaling::standardise(larger).apply(larger)).cwiseAbs().maxCoeff(),
      1e-12);
}

TEST(Scaling, TakesLogarithmsFirstAndLeavesCategoriesAlone) {
  Points x(4, 3);
  x << 1e-3, 2, 5, 1e-2, 0, 5, 0.1, 2, 5, 1.0, 7, 9;
  const std::vector<InputTransform> how{InputTransform::log, InputTransform::category, InputTransform::none};
  Points logarithms = x;
  logarithms.col(0) = x.col(0).array().log();
  const Scaling scaling = Scaling::standardise(x, how), plain = Scaling::standardise(logarithms);
  EXPECT_EQ(scaling.apply(x).col(0), plain.apply(logarithms).col(0));
  EXPECT_EQ(scaling.apply(x).col(1), x.col(1));
  EXPECT_EQ(scaling.apply(x).col(2), plain.apply(x).col(2));
  EXPECT_EQ(Scaling::unscaled(how).apply(x), logarithms);
  EXPECT_FALSE(scaling == plain);
  EXPECT_EQ(scaling.with_unscaled_input().apply(Points(Points::Constant(1, 4, 2.0)))(0, 3), 2.0);
}

}  // namespace
}  // namespace acuity::scaling_test
