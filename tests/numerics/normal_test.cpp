#include "numerics/normal.hpp"

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>

#include "support/golden.hpp"

namespace acuity::numerics::normal_test {
namespace {

using testing::close_relative;

TEST(Normal, HitsTheGoldenValues) {
  int checked = 0;
  for (const auto& g : testing::golden("special_functions").at("normal")) {
    const double x = g.at("x");
    EXPECT_TRUE(close_relative(normal_log_cdf(x), g.at("log_cdf"), 1e-12)) << x;
    EXPECT_TRUE(close_relative(mills_ratio(x).mills, g.at("mills"), 1e-12)) << x;
    EXPECT_TRUE(close_relative(mills_ratio(x).x_plus_mills, g.at("x_plus_mills"), 1e-12)) << x;
    EXPECT_TRUE(close_relative(mills_ratio(x).rho, g.at("rho"), 1e-12)) << x;
    EXPECT_TRUE(close_relative(mills_ratio(x).one_minus_rho, g.at("one_minus_rho"), 1e-12)) << x;
    if (x > -37.0 && x <= 0.0) {
      EXPECT_TRUE(close_relative(std::log(normal_cdf(x)), g.at("log_cdf"), 1e-12)) << x;
    }
    ++checked;
  }
  EXPECT_EQ(checked, 22);
}

TEST(Normal, KnowsTheLimitsFarOut) {
  EXPECT_EQ(mills_ratio(-1e8).mills, 1e8 + 1e-8);
  EXPECT_TRUE(close_relative(mills_ratio(-1e8).x_plus_mills, 1e-8, 1e-15));
  EXPECT_DOUBLE_EQ(mills_ratio(-1e8).rho, 1.0);
  EXPECT_TRUE(close_relative(mills_ratio(-1e8).one_minus_rho, 1e-16, 1e-15));
  EXPECT_TRUE(close_relative(normal_log_cdf(-1e8), -5e15, 1e-14));

  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(normal_log_cdf(-infinite), -infinite);
  EXPECT_EQ(normal_log_cdf(infinite), 0.0);
  EXPECT_EQ(mills_ratio(-infinite).mills, infinite);
  EXPECT_EQ(mills_ratio(-infinite).x_plus_mills, 0.0);
  EXPECT_EQ(mills_ratio(-infinite).rho, 1.0);
  EXPECT_EQ(mills_ratio(-infinite).one_minus_rho, 0.0);
  EXPECT_EQ(mills_ratio(infinite).mills, 0.0);
  EXPECT_EQ(mills_ratio(infinite).rho, 0.0);
  EXPECT_EQ(mills_ratio(infinite).one_minus_rho, 1.0);
}

TEST(Normal, BothWaysToTheTailMeetWhereTheyChange) {
  const double left = std::nextafter(-4.0, -5.0), right = -4.0;
  EXPECT_TRUE(close_relative(mills_ratio(left).mills, mills_ratio(right).mills, 1e-14));
  EXPECT_TRUE(close_relative(mills_ratio(left).x_plus_mills, mills_ratio(right).x_plus_mills, 1e-13));
  EXPECT_TRUE(close_relative(mills_ratio(left).rho, mills_ratio(right).rho, 1e-13));
  EXPECT_TRUE(close_relative(mills_ratio(left).one_minus_rho, mills_ratio(right).one_minus_rho, 1e-12));
  EXPECT_TRUE(close_relative(normal_log_cdf(left), normal_log_cdf(right), 1e-14));
}

TEST(Normal, DifferencesOfTheCdfAreIntegralsOfTheDensity) {
  for (const double x : {-30.0, -6.0, -1.3, 0.0, 0.4, 2.5, 9.0, 31.0})
    for (const double scale : {1e-300, 1e-20, 1e-8, 1e-3, 0.1, 0.2, 0.249, 0.251, 0.6, 2.0})
      for (const double sign : {-1.0, 1.0}) {
        const double step = sign * scale / (1.0 + std::abs(x));
        const double integral = step * boost::math::quadrature::gauss<double, 30>::integrate(
                                           [&](double t) { return normal_pdf(x + step * t); }, 0.0, 1.0);
        EXPECT_TRUE(close_relative(normal_cdf_difference(x, step), integral, 5e-13)) << x << ' ' << step;
      }
  EXPECT_EQ(normal_cdf_difference(0.7, 0.0), 0.0);
  EXPECT_EQ(normal_cdf_difference(-1e4, 1.0), 0.0);
  EXPECT_TRUE(close_relative(normal_cdf_difference(1.0, -1e3), -normal_cdf(1.0), 1e-15));
}

}  // namespace
}  // namespace acuity::numerics::normal_test
