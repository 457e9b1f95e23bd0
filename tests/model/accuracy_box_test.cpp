#include "model/accuracy_box.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace acuity::accuracy_box_test {
namespace {

const double gains[] = {AccuracyBox::least_gain, 0.01, 0.3, 0.77, AccuracyBox::largest_gain};
const double shares[] = {AccuracyBox::least_share, 1e-9, 0.2, 0.9, AccuracyBox::largest_share};

TEST(AccuracyBox, EveryPointBetweenTheBoundsIsALaw) {
  for (const double gain : gains)
    for (const double share : shares) {
      const AccuracyLaw law = AccuracyBox{gain, share}.law();
      EXPECT_GE(law.kappa, 0.5);
      EXPECT_GT(law.gamma, 0.0) << "a study takes no gamma of 0";
      EXPECT_LE(law.kappa + law.gamma, 1.0 + 1e-15);
      EXPECT_LE(law(1.0), 1.0);
    }
}

TEST(AccuracyBox, GivesBackTheLawItWasMadeFrom) {
  for (const AccuracyLaw law : {AccuracyLaw{0.8, 0.2}, AccuracyLaw{0.5, 0.5}, AccuracyLaw{0.5, 0.1},
                                AccuracyLaw{0.95, 0.01}, AccuracyLaw{0.6, 0.15}}) {
    const AccuracyLaw back = AccuracyBox::of(law).law();
    EXPECT_NEAR(back.kappa, law.kappa, 1e-15);
    EXPECT_NEAR(back.gamma, law.gamma, 1e-15);
  }
}

TEST(AccuracyBox, TakesALawOutsideToItsEdge) {
  const AccuracyBox coin = AccuracyBox::of({.kappa = 0.5, .gamma = 0.0});
  EXPECT_EQ(coin.gain, AccuracyBox::least_gain);
  EXPECT_EQ(coin.share, AccuracyBox::least_share);
  const AccuracyBox always_right = AccuracyBox::of({.kappa = 1.0, .gamma = 0.0});
  EXPECT_EQ(always_right.gain, AccuracyBox::largest_gain);
  EXPECT_EQ(always_right.share, AccuracyBox::largest_share);
  EXPECT_EQ(AccuracyBox::of({.kappa = 0.8, .gamma = 0.2 + 1e-13}).gain, AccuracyBox::largest_gain);
}

TEST(AccuracyBox, GradientsFollowTheChainRule) {
  // Any smooth function of the law will do.
  const auto value = [](const AccuracyLaw& law) { return std::sin(3.0 * law.kappa) + law.kappa * law.gamma; };
  constexpr double h = 1e-6;
  for (const double gain : {0.2, 0.9})
    for (const double share : {0.1, 0.7}) {
      const AccuracyBox box{gain, share};
      const AccuracyLaw law = box.law();
      const Eigen::Vector2d slope = box.gradient(3.0 * std::cos(3.0 * law.kappa) + law.gamma, law.kappa);
      const auto at = [&](double by_gain, double by_share) {
        return value(AccuracyBox{gain + by_gain, share + by_share}.law());
      };
      EXPECT_NEAR(slope(0), (at(h, 0.0) - at(-h, 0.0)) / (2.0 * h), 1e-9);
      EXPECT_NEAR(slope(1), (at(0.0, h) - at(0.0, -h)) / (2.0 * h), 1e-9);
    }
}

}  // namespace
}  // namespace acuity::accuracy_box_test
