#include "pictures/precision_course_svg.hpp"

#include <gtest/gtest.h>

#include "support/markup.hpp"

namespace acuity::precision_course_svg_test {
namespace {

const PrecisionCourse vague{"target", {11, 11.1, 11.3}, {0, 1, 0.5}};
const PrecisionCourse exact{"model", {11, 12}, {0, 0}};

TEST(PrecisionCourseSvg, DrawsOnePanelPerRunAndADotPerAnnotation) {
  const std::string svg = precision_course_svg({vague, exact}, "how <precisely>");
  EXPECT_EQ(markup_fault(svg), "");
  EXPECT_EQ(count(svg, "h.01"), 5U);
  EXPECT_EQ(count(svg, ">target</text>"), 1U);
  EXPECT_EQ(count(svg, ">model</text>"), 1U);
  EXPECT_EQ(count(svg, ">3 annotations</text>"), 1U);
  EXPECT_EQ(count(svg, ">exact 0</text>"), 1U);
  EXPECT_EQ(count(svg, ">vaguest 1</text>"), 1U);
  EXPECT_EQ(count(svg, "how &lt;precisely&gt;"), 2U);
}

TEST(PrecisionCourseSvg, AStepIsAsWideAsItsPrice) {
  const PrecisionCourse course{"target", {0, 10, 15}, {0, 0, 1}};
  const std::string svg = precision_course_svg({course}, "t");
  const std::size_t path = svg.find("<path d=\"M"), end = svg.find('"', path + 9);
  std::vector<double> widths;
  for (std::size_t at = path + 9; at < end; at = svg.find('M', at + 1)) {
    const std::size_t to = svg.find('H', at);
    widths.push_back(std::stod(svg.substr(to + 1)) - std::stod(svg.substr(at + 1)));
  }
  ASSERT_EQ(widths.size(), 2U);  // what the first one cost is not known
  EXPECT_GT(widths[1], 10.0);
  EXPECT_NEAR(widths[0], 2.0 * widths[1], 0.3);
}

TEST(PrecisionCourseSvg, MethodsLookAsInOtherPictures) {
  const std::string svg = precision_course_svg({{"model, repeat 3", {1, 2}, {0, 1}}}, "t");
  EXPECT_NE(svg.find("<g class=\"model\""), std::string::npos);
}

TEST(PrecisionCourseSvg, DrawsRunsWithoutAnnotations) {
  EXPECT_EQ(markup_fault(precision_course_svg({}, "t")), "");
  const std::string svg = precision_course_svg({{"none", {}, {}}, exact}, "t");
  EXPECT_EQ(markup_fault(svg), "");
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(PrecisionCourseSvg, RefusesWhatIsNoCourse) {
  EXPECT_THROW(precision_course_svg({{"a", {1, 2}, {0}}}, "t"), std::invalid_argument);
  EXPECT_THROW(precision_course_svg({{"a", {1}, {1.5}}}, "t"), std::invalid_argument);
}

}  // namespace
}  // namespace acuity::precision_course_svg_test
