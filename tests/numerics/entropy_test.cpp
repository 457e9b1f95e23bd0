#include "numerics/entropy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/golden.hpp"

namespace acuity::numerics::entropy_test {
namespace {

using testing::close_relative;

TEST(Entropy, HitsTheGoldenValues) {
  const auto& file = testing::golden("special_functions");
  for (const auto& g : file.at("entropy_bits")) {
    const double p = g.at("p");
    EXPECT_TRUE(close_relative(entropy_bits(p, 1.0 - p), g.at("h"), 1e-12)) << p;
    EXPECT_EQ(entropy_bits(1.0 - p, p), entropy_bits(p, 1.0 - p));
  }
  for (const auto& g : file.at("one_minus_h")) {
    const double c = g.at("c");
    EXPECT_TRUE(close_relative(capacity_bits(c), g.at("one_minus_h"), 1e-12)) << c;
    EXPECT_TRUE(close_relative(taylor_curvature(c), g.at("C"), 1e-12)) << c;
    EXPECT_EQ(capacity_bits(-c), capacity_bits(c));
    EXPECT_EQ(taylor_curvature(-c), taylor_curvature(c));
  }
  for (const auto& g : file.at("psi"))
    EXPECT_TRUE(close_relative(psi(g.at("x")), g.at("psi"), 1e-12)) << g.at("x");
}

TEST(Entropy, TheTwoWaysToCapacityMeetWhereTheyChange) {
  EXPECT_TRUE(close_relative(capacity_bits(std::nextafter(0.5, 0.0)), capacity_bits(0.5), 1e-14));
  EXPECT_TRUE(close_relative(taylor_curvature(std::nextafter(1e-8, 0.0)), taylor_curvature(1e-8), 1e-14));
}

TEST(Entropy, TheTwoWaysToPsiMeetWhereTheyChange) {
  for (const double edge : {0.02, -0.02})
    EXPECT_TRUE(close_relative(psi(std::nextafter(edge, 0.0)), psi(edge), 1e-13));
}

TEST(Entropy, ScaledPsiIsPsiOfTheQuotientTimesTheScale) {
  for (const double scale : {1e-200, 1e-3, 0.7, 1e5})
    for (const double u : {-1.0, -0.999, -0.3, -0.02, -1e-9, 0.0, 1e-5, 0.02, 0.5, 40.0, 1e12})
      EXPECT_TRUE(close_relative(scaled_psi(scale, scale * u), scale * psi(u), 1e-12)) << scale << ' ' << u;
}

TEST(Entropy, PsiIsNeverNoNumber) {
  EXPECT_EQ(psi(-1.0 - 1e-15), 1.0);
  EXPECT_EQ(scaled_psi(0.0, 0.0), 0.0);
  EXPECT_EQ(scaled_psi(0.3, -0.3000001), 0.3);
  const double smallest = std::numeric_limits<double>::min();
  EXPECT_TRUE(std::isfinite(scaled_psi(smallest, 1.0)));
}

}  // namespace
}  // namespace acuity::numerics::entropy_test
