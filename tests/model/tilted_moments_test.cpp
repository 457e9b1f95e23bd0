#include "model/tilted_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/golden.hpp"

namespace acuity::tilted_moments_test {
namespace {

using testing::close_relative;

TEST(TiltedMoments, HitTheGoldenValues) {
  for (const auto& g : testing::golden("ep_moments").at("cases")) {
    SCOPED_TRACE(g.dump());
    const TiltedMoments t = tilted_moments(g.at("y"), g.at("mu_cav"), g.at("var_cav"), g.at("w"));
    EXPECT_TRUE(close_relative(t.z, g.at("z"), 1e-11));
    // The reference carries 50 digits, so it rounds to 0 what differs from it by less.
    EXPECT_NEAR(t.log_weight, g.at("log_z").get<double>(),
                1e-11 * std::abs(g.at("log_z").get<double>()) + 1e-49);
    EXPECT_TRUE(close_relative(t.slope, g.at("dlogz_dmu"), 1e-11));
    EXPECT_TRUE(close_relative(t.curvature, g.at("neg_d2logz_dmu2"), 1e-11));
    EXPECT_TRUE(close_relative(t.mean, g.at("mu_hat"), 1e-11));
    EXPECT_TRUE(close_relative(t.variance, g.at("var_hat"), 1e-11));
    EXPECT_TRUE(close_relative(t.site_precision, g.at("tau_site"), 1e-11));
    EXPECT_TRUE(close_relative(t.site_shift, g.at("nu_site"), 1e-11));
  }
}

TEST(TiltedMoments, AnAnswerThatSaysNothingLeavesItsSiteExactlyZero) {
  const TiltedMoments t = tilted_moments(1, -3.7, 2.0, 0.5);
  EXPECT_EQ(t.site_precision, 0.0);
  EXPECT_EQ(t.site_shift, 0.0);
  EXPECT_EQ(t.mean, -3.7);
  EXPECT_EQ(t.variance, 2.0);
}

TEST(TiltedMoments, AreTheDerivativesOfTheirWeight) {
  constexpr double h = 1e-5;
  for (const double accuracy : {0.3, 0.6, 0.8, 0.99, 1.0})
    for (const double mu : {-6.0, -2.0, 0.3, 4.0}) {
      const auto weight = [&](double at, double omega) {
        return tilted_moments(1, at, 1.7, omega).log_weight;
      };
      const TiltedMoments t = tilted_moments(1, mu, 1.7, accuracy);
      EXPECT_NEAR(t.slope, (weight(mu + h, accuracy) - weight(mu - h, accuracy)) / (2 * h), 1e-8);
      EXPECT_NEAR(t.curvature,
                  -(weight(mu + h, accuracy) - 2 * t.log_weight + weight(mu - h, accuracy)) / (h * h), 1e-4);
      if (accuracy < 1.0) {
        EXPECT_NEAR(t.accuracy_slope / ((weight(mu, accuracy + h) - weight(mu, accuracy - h)) / (2 * h)), 1.0,
                    1e-5);
      }
    }
}

TEST(TiltedMoments, StayFiniteWhereverTheCavityIs) {
  for (const double mu : {-1e8, -1e3, -40.0, 40.0, 1e8})
    for (const double accuracy : {0.0, 0.5, 0.8, 1.0 - 0x1p-52, 1.0})
      for (const double v : {1e-12, 1.0, 1e12}) {
        const TiltedMoments t = tilted_moments(1, mu, v, accuracy);
        EXPECT_TRUE(std::isfinite(t.site_precision) && std::isfinite(t.site_shift))
            << mu << ' ' << v << ' ' << accuracy;
        EXPECT_GE(t.variance, 0.0);
        EXPECT_LT(t.site_precision, 1.0);
      }
}

}  // namespace
}  // namespace acuity::tilted_moments_test
