#include "pictures/class_points_svg.hpp"

#include <gtest/gtest.h>

#include "support/markup.hpp"

namespace acuity::class_points_svg_test {
namespace {

// A spiral, one class in three of the other.
ClassPoints spiral(Index size, double reach = 1.9) {
  ClassPoints set{Points(size, 2), Vector(size)};
  for (Index i = 0; i < size; ++i) {
    const double turn = 0.37 * static_cast<double>(i),
                 radius = reach * static_cast<double>(i + 1) / static_cast<double>(size);
    set.points.row(i) << radius * std::cos(turn), radius * std::sin(turn);
    set.labels(i) = i % 4 == 0 ? 1.0 : -1.0;
  }
  return set;
}

// Marks of both panels, the three of the legend left out: crosses have an upright, dots are short lines.
std::size_t crosses(const std::string& svg) {
  return count(svg, "v5") - 3;
}
std::size_t dots(const std::string& svg) {
  return count(svg, "h.01") - 3;
}

TEST(ClassPointsSvg, DrawsEveryPointOfASmallSetWithItsClassesMark) {
  const std::string svg = class_points_svg(spiral(100), spiral(40), "half <moons>");
  EXPECT_EQ(markup_fault(svg), "");
  EXPECT_EQ(crosses(svg), 35U);
  EXPECT_EQ(dots(svg), 105U);
  EXPECT_EQ(count(svg, "half &lt;moons&gt;"), 2U);
  EXPECT_EQ(count(svg, ">100 points</text>"), 1U);
  EXPECT_EQ(count(svg, ">40 points</text>"), 1U);
}

TEST(ClassPointsSvg, ThinsALargePoolSaysSoAndStaysSmall) {
  const std::string svg = class_points_svg(spiral(20000), spiral(1500), "t");
  EXPECT_EQ(crosses(svg) + dots(svg), 3000U);
  EXPECT_EQ(count(svg, ">20000 points, 1500 of them drawn at random</text>"), 1U);
  EXPECT_EQ(count(svg, ">1500 points</text>"), 1U);
  EXPECT_LT(svg.size(), 100000U);
  EXPECT_NEAR(static_cast<double>(crosses(svg)), 750, 100);  // the classes keep their shares
}

TEST(ClassPointsSvg, DrawsTheSamePictureOfTheSameSet) {
  EXPECT_EQ(class_points_svg(spiral(5000), spiral(10), "t"), class_points_svg(spiral(5000), spiral(10), "t"));
}

TEST(ClassPointsSvg, CountsPointsBeyondTheAxesInsteadOfDrawingThem) {
  ClassPoints far = spiral(10);
  far.points(3, 0) = 2.5;
  const std::string svg = class_points_svg(far, spiral(10), "t");
  EXPECT_EQ(crosses(svg) + dots(svg), 19U);
  EXPECT_EQ(count(svg, ">10 points, 1 outside</text>"), 1U);
}

TEST(ClassPointsSvg, PutsARingAroundTheSpotThatHoldsMostOfThePool) {
  ClassPoints crowded = spiral(1000);
  for (Index i = 0; i < 800; ++i) crowded.points.row(i) << 1.03 + 1e-4 * static_cast<double>(i % 9), -0.47;
  const std::string svg = class_points_svg(crowded, spiral(1000), "t");
  ASSERT_EQ(count(svg, "<circle class=\"ring\""), 1U);
  Index near = 0;  // the spot's own points and those of the spiral that happen to pass there
  for (Index i = 0; i < 1000; ++i) near += (crowded.points.row(i) - crowded.points.row(4)).norm() <= 0.25;
  EXPECT_NE(svg.find(">" + std::to_string(std::lround(near / 10.0)) + " % of the points lie in the ring<"),
            std::string::npos);
}

TEST(ClassPointsSvg, RefusesWhatIsNotTwoClassesInThePlane) {
  ClassPoints three = spiral(5), few = spiral(5), cubes = spiral(5);
  three.labels(2) = 0.0;
  few.labels.conservativeResize(4);
  cubes.points.conservativeResize(5, 3);
  EXPECT_THROW(class_points_svg(three, spiral(5), "t"), std::invalid_argument);
  EXPECT_THROW(class_points_svg(few, spiral(5), "t"), std::invalid_argument);
  EXPECT_THROW(class_points_svg(spiral(5), cubes, "t"), std::invalid_argument);
}

}  // namespace
}  // namespace acuity::class_points_svg_test
