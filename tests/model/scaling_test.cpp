#include "acuity/model/scaling.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/random.hpp"
#include "support/thread_ranks.hpp"

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

TEST(Scaling, OfAPoolThatRanksShareIsThatOfTheWholeBitForBit) {
  numerics::Draws draws(5, numerics::Purpose::data);
  for (const Index rows : {Index{1}, Index{255}, Index{256}, Index{1000}, Index{2500}}) {
    Points x(rows, 4);
    for (Index i = 0; i < rows; ++i)
      x.row(i) << draws.normal(), std::exp(draws.normal()), 1e6 + draws.uniform(), 0.1;
    const std::vector<InputTransform> how{InputTransform::none, InputTransform::log, InputTransform::none,
                                          InputTransform::none};
    const Scaling whole = Scaling::standardise(x, how);
    // The slow twin, in long double.
    for (Index k = 0; k < 3; ++k) {
      long double sum = 0.0L, squares = 0.0L;
      const auto value = [&](Index i) {
        return k == 1 ? std::log(static_cast<long double>(x(i, k))) : static_cast<long double>(x(i, k));
      };
      for (Index i = 0; i < rows; ++i) sum += value(i);
      const long double mean = sum / static_cast<long double>(rows);
      for (Index i = 0; i < rows; ++i) squares += (value(i) - mean) * (value(i) - mean);
      EXPECT_NEAR(whole.centre()(k), static_cast<double>(mean), 1e-15 * std::abs(whole.centre()(k)) + 1e-15);
      if (rows > 1) {
        EXPECT_NEAR(whole.scale()(k),
                    static_cast<double>(std::sqrt(squares / static_cast<long double>(rows))),
                    1e-8 * whole.scale()(k));
      }
    }
    for (const int count : {1, 2, 3, 4, 12})
      ThreadRanks::run(count, [&](Ranks& ranks) {
        const PoolShard shard = shard_of(rows, ranks.rank(), ranks.count());
        EXPECT_EQ(Scaling::standardise(x.middleRows(shard.first, shard.rows), how, pool_of(ranks), rows),
                  whole);
      });
  }
}

}  // namespace
}  // namespace acuity::scaling_test
