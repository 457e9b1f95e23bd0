#include "pictures/learning_curves_svg.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/markup.hpp"

namespace acuity::learning_curves_svg_test {
namespace {

LearningCurve curve(const std::string& method, double level) {
  return {.method = method,
          .cost = {10, 30, 50},
          .first_quartile = {0.09 * level, 0.02 * level, 0.012 * level},
          .median = {0.1 * level, 0.025 * level, 0.015 * level},
          .third_quartile = {0.12 * level, 0.03 * level, 0.02 * level}};
}

// Vertical place of a label.
double y_of(const std::string& svg, const std::string& name) {
  const std::size_t end = svg.find("\">" + name + "</text>"), begin = svg.rfind("y=\"", end) + 3;
  return std::stod(svg.substr(begin, end - begin));
}

TEST(LearningCurvesSvg, DrawsABandALineAndAnEscapedNamePerMethod) {
  const std::string svg =
      learning_curves_svg({curve("random", 2.0), curve("a<b", 1.0)}, {.title = "T & T", .subtitle = "s"});
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(markup_fault(svg), "");
  EXPECT_EQ(count(svg, "fill-opacity"), 2U);
  EXPECT_EQ(count(svg, "stroke-dasharray"), 4U);  // the line and its sample beside the name
  EXPECT_EQ(count(svg, ">random</text>"), 1U);
  EXPECT_EQ(count(svg, ">a&lt;b</text>"), 1U);
  EXPECT_EQ(count(svg, "T &amp; T"), 2U);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_NE(svg.find(">0.05</text>"), std::string::npos);
  EXPECT_NE(svg.find(">50</text>"), std::string::npos);
}

TEST(LearningCurvesSvg, LowerErrorsAreDrawnLower) {
  const std::string svg = learning_curves_svg({curve("high", 2.0), curve("low", 1.0)}, {});
  EXPECT_GT(y_of(svg, "low"), y_of(svg, "high"));
  EXPECT_NE(svg.find("(lower is better)"), std::string::npos);
}

TEST(LearningCurvesSvg, AccuraciesHaveALinearAxisBetweenRoundNumbers) {
  LearningCurve bald{.method = "bald",
                     .cost = {10, 50},
                     .first_quartile = {0.53, 0.9},
                     .median = {0.6, 0.95},
                     .third_quartile = {0.7, 0.99}};
  const std::string svg =
      learning_curves_svg({bald}, {.error = "accuracy", .logarithmic = false, .higher_is_better = true});
  EXPECT_NE(svg.find("(higher is better)"), std::string::npos);
  const double distance = y_of(svg, "0.5") - y_of(svg, "0.6");
  EXPECT_GT(distance, 0.0);
  for (const auto& [low, high] : {std::pair{"0.6", "0.7"}, {"0.7", "0.8"}, {"0.8", "0.9"}, {"0.9", "1"}})
    EXPECT_NEAR(y_of(svg, low) - y_of(svg, high), distance, 0.11) << low;
  EXPECT_EQ(svg.find(">1.1</text>"), std::string::npos);
}

TEST(LearningCurvesSvg, EqualCurvesShareALabelThatShowsBothStrokes) {
  const std::string svg =
      learning_curves_svg({curve("random", 2.0), curve("bald", 1.0), curve("model", 1.0)}, {});
  EXPECT_EQ(count(svg, ">bald = model</text>"), 1U);
  EXPECT_EQ(count(svg, ">bald</text>"), 0U);
  EXPECT_EQ(count(svg, "fill-opacity"), 2U);
  EXPECT_EQ(count(svg, "<path class=\"casing\""), 2U);
  EXPECT_EQ(count(svg, "<path class=\"bald\""), 2U);
  EXPECT_GE(count(svg, "<path class=\"model\""), 2U);
}

TEST(LearningCurvesSvg, MethodsThatMeetOnlyInTheirMediansKeepTheirOwnLabels) {
  LearningCurve wide = curve("model", 1.0);
  for (double& q : wide.third_quartile) q *= 1.5;
  const std::string svg = learning_curves_svg({curve("bald", 1.0), wide}, {});
  EXPECT_EQ(count(svg, ">bald</text>"), 1U);
  EXPECT_EQ(count(svg, ">model</text>"), 1U);
  // The dashes lie over the solid line.
  const std::size_t bands = svg.rfind("fill-opacity");
  EXPECT_LT(svg.find("<path class=\"model\"", bands), svg.find("<path class=\"bald\"", bands));
}

TEST(LearningCurvesSvg, LabelsOfNeighboursDoNotTouch) {
  const std::string svg = learning_curves_svg(
      {curve("random", 1.003), curve("bald", 1.0), curve("target", 1.001), curve("model", 1.002)}, {});
  std::vector<double> places;
  for (const char* name : {"random", "bald", "target", "model"}) places.push_back(y_of(svg, name));
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i) EXPECT_GE(places[i] - places[i - 1], 15.0);
}

TEST(LearningCurvesSvg, GivesLongNamesOfTheAxesLinesAndRoom) {
  const std::string many =
      "a name that is longer than the axis, whichever of the two axes it may belong to, by far";
  const std::string svg = learning_curves_svg({curve("bald", 1e-9)}, {.cost = many, .error = many});
  EXPECT_EQ(count(svg, many + "</text>"), 0U);
  EXPECT_EQ(count(svg, ">(lower is better)</text>"), 1U);
  const std::string plain = learning_curves_svg({curve("bald", 1.0)}, {});
  const auto axis_begin = [](const std::string& text) {
    return std::stod(text.substr(text.find("<line class=\"grid\" x1=\"") + 23));
  };
  EXPECT_GT(axis_begin(svg), axis_begin(plain) + 30);
}

TEST(LearningCurvesSvg, AFlatCurveStillHasSeveralTicks) {
  LearningCurve flat{"bald", {1, 2}, {0.03, 0.03}, {0.03, 0.03}, {0.03, 0.03}};
  EXPECT_GE(count(learning_curves_svg({flat}, {}), "<line class=\"grid\""), 4U);
  EXPECT_GE(count(learning_curves_svg({flat}, {.logarithmic = false}), "<line class=\"grid\""), 3U);
}

TEST(LearningCurvesSvg, LeavesOutWhatWasNotEvaluatedAndDrawsZeroErrorsAtTheEnd) {
  LearningCurve gap = curve("bald", 1.0), zero = curve("model", 1.0);
  gap.median[1] = std::numeric_limits<double>::quiet_NaN();
  zero.first_quartile[2] = zero.median[2] = 0.0;
  LearningCurve nothing{.method = "random"};
  const std::string svg = learning_curves_svg({gap, zero, nothing}, {});
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_EQ(svg.find(">random<"), std::string::npos);
  EXPECT_EQ(markup_fault(learning_curves_svg({}, {})), "");
}

TEST(LearningCurvesSvg, RefusesQuartilesThatDoNotBelongToTheCosts) {
  LearningCurve broken = curve("bald", 1.0);
  broken.third_quartile.pop_back();
  EXPECT_THROW(learning_curves_svg({broken}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace acuity::learning_curves_svg_test
