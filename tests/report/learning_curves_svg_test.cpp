#include "report/learning_curves_svg.hpp"

#include <gtest/gtest.h>

namespace acuity {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

LearningCurve curve(const std::string& method, double level) {
  return {.method = method,
          .cost = {10, 30, 50},
          .first_quartile = {0.09 * level, 0.02 * level, 0.012 * level},
          .median = {0.1 * level, 0.025 * level, 0.015 * level},
          .third_quartile = {0.12 * level, 0.03 * level, 0.02 * level}};
}

TEST(LearningCurvesSvg, DrawsABandALineAndAnEscapedNamePerMethod) {
  const std::string svg =
      learning_curves_svg({curve("random", 2.0), curve("a<b", 1.0)}, {.title = "T & T", .subtitle = "s"});
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(count(svg, "fill-opacity"), 2U);
  EXPECT_EQ(count(svg, "<path "), 4U);
  EXPECT_EQ(count(svg, ">random</text>"), 1U);
  EXPECT_EQ(count(svg, ">a&lt;b</text>"), 1U);
  EXPECT_EQ(count(svg, "T &amp; T"), 2U);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_NE(svg.find(">0.05</text>"), std::string::npos);
  EXPECT_NE(svg.find(">50</text>"), std::string::npos);
}

TEST(LearningCurvesSvg, LowerErrorsAreDrawnLower) {
  const std::string svg = learning_curves_svg({curve("high", 2.0), curve("low", 1.0)}, {});
  const auto y_of = [&](const std::string& name) {
    const std::size_t end = svg.find("\">" + name + "</text>"), begin = svg.rfind("y=\"", end) + 3;
    return std::stod(svg.substr(begin, end - begin));
  };
  EXPECT_GT(y_of("low"), y_of("high"));
}

}  // namespace
}  // namespace acuity
