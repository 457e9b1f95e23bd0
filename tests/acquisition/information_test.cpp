#include "acuity/acquisition/information.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "acuity/acquisition/acquisition.hpp"
#include "acuity/acquisition/regression_information.hpp"
#include "support/golden.hpp"
#include "support/problems.hpp"

namespace acuity::information_test {
namespace {

using testing::close_relative;
using testing::number;

TEST(RegressionInformation, HitsTheGoldenValues) {
  const auto& file = testing::golden("regression_mi");
  int checked = 0;
  for (const auto& g : file.at("cases")) {
    const double s = g.at("s"), n0 = g.at("n0"),
                 added = file.at("gamma").get<double>() * g.at("beta").get<double>();
    EXPECT_TRUE(close_relative(model_information(s, n0, added), number(g.at("mi_f")), 1e-12));
    EXPECT_TRUE(close_relative(model_information(s, n0, 0.0), number(g.at("bald")), 1e-12));
    EXPECT_TRUE(close_relative(target_information_b(s, n0, added), number(g.at("mi_y_b")), 1e-12));
    EXPECT_TRUE(close_relative(target_information_c(s, n0, added), number(g.at("mi_y_c")), 1e-12));
    ++checked;
  }
  EXPECT_EQ(checked, 160);
}

TEST(RegressionInformation, DoesNotDependOnTheUnitsOfY) {
  const double expected = target_information_c(1.0, 1.0, 1.0);
  for (const double unit : {1e-200, 1e-81, 1e77, 1e156, 1e300}) {
    EXPECT_TRUE(close_relative(target_information_c(unit, unit, unit), expected, 1e-14)) << unit;
    EXPECT_TRUE(close_relative(model_information(unit, unit, unit), model_information(1.0, 1.0, 1.0), 1e-14))
        << unit;
  }
}

TEST(RegressionInformation, OfATargetWithoutNoiseIsThatOfTheModel) {
  EXPECT_EQ(target_information_c(0.3, 0.0, 0.2), model_information(0.3, 0.0, 0.2));
  EXPECT_EQ(target_information_c(1e-300, 0.0, 1e300), 0.0);
}

TEST(Information, FillsPointsTimesLevels) {
  const Marginals belief{.mean = Vector::Zero(4), .variance = Vector{{0.1, 0.2, 0.3, 0.4}}};
  const Offer offer{.levels = testing::ladder(5, 1.0), .base_noise = Vector{{0.01, 0.02, 0.03, 0.04}}};
  const Index levels[] = {4, 1};
  double model[4], target[4];
  ModelInformation().worth(belief, offer, 1, 3, levels, model);
  TargetInformation().worth(belief, offer, 1, 3, levels, target);
  EXPECT_EQ(model[1], model_information(0.2, 0.02, 0.09 * 0.25));
  EXPECT_EQ(model[2], model_information(0.3, 0.03, 0.09));
  EXPECT_EQ(target[3], target_information_c(0.3, 0.03, 0.09 * 0.25));
}

TEST(TargetInformation, GraphBRefusesInfinitePrecisionUnlessTold) {
  const Marginals belief{.mean = Vector::Zero(2), .variance = Vector{{0.1, 0.2}}};
  const Offer offer{.levels = testing::ladder(3, 1.0), .base_noise = Vector{{0.5, 0.3}}};
  const Index sharp[] = {0}, vague[] = {2};
  double out[2];
  const TargetInformation refusing({.graph = TargetGraph::b});
  EXPECT_THROW(refusing.worth(belief, offer, 0, 2, sharp, out), std::invalid_argument);
  EXPECT_NO_THROW(refusing.worth(belief, offer, 0, 2, vague, out));
  const TargetInformation limit({.graph = TargetGraph::b, .infinite = InfinitePolicy::limit});
  limit.worth(belief, offer, 0, 2, sharp, out);
  EXPECT_TRUE(std::isinf(out[0]) && std::isinf(out[1]));
  EXPECT_GT(limit.order_when_infinite(belief, offer, 0), limit.order_when_infinite(belief, offer, 1));
  const TargetInformation first({.graph = TargetGraph::b, .infinite = InfinitePolicy::first});
  EXPECT_EQ(first.order_when_infinite(belief, offer, 0), first.order_when_infinite(belief, offer, 1));
}

TEST(TieRule, IsRelativeAndTakesNegativeAndInfiniteValues) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(ties_with({.value = 2.0}, 2.0 * (1 - 0.9e-9), 0));
  EXPECT_FALSE(ties_with({.value = 2.0}, 2.0 * (1 - 1.1e-9), 0));
  EXPECT_TRUE(ties_with({.value = -2.0}, -2.0 * (1 + 0.9e-9), 0));
  EXPECT_FALSE(ties_with({.value = -2.0}, -2.1, 0));
  EXPECT_TRUE(ties_with({.value = 0.0}, 0.0, 0));
  EXPECT_TRUE(ties_with({.value = infinite, .order = 1.0}, infinite, 1.0));
  EXPECT_FALSE(ties_with({.value = infinite, .order = 1.0}, infinite, 0.9));
  EXPECT_FALSE(ties_with({.value = infinite}, 1e300, 0));
}

}  // namespace
}  // namespace acuity::information_test
