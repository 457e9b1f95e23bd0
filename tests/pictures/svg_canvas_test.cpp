#include "pictures/svg_canvas.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace acuity::svg_canvas_test {
namespace {

TEST(EscapeMarkup, LeavesNothingThatCouldOpenATagOrCloseAnAttribute) {
  EXPECT_EQ(escape_markup("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(escape_markup(std::string("a\0b\x1b", 4)), "a\\x00b\\x1b");
  EXPECT_EQ(escape_markup("\xff \xc2\x9b \xe2\x80\xae"), "\\xff \\u009b \\u202e");
  EXPECT_EQ(escape_markup("α ≤ 1\n"), "α ≤ 1\n");
}

TEST(LinearTicks, AreRoundAndIncludeRoundEnds) {
  EXPECT_EQ(linear_ticks(0.0, 50.0, 5), (std::vector<double>{0, 10, 20, 30, 40, 50}));
  EXPECT_EQ(linear_ticks(-2.0, 2.0, 4), (std::vector<double>{-2, -1, 0, 1, 2}));
  const std::vector<double> tenths = linear_ticks(0.5, 1.0, 5);
  ASSERT_EQ(tenths.size(), 6U);
  EXPECT_NEAR(tenths.front(), 0.5, 1e-12);
  EXPECT_NEAR(tenths.back(), 1.0, 1e-12);
  EXPECT_FALSE(std::signbit(linear_ticks(-0.3, 1.0, 5).at(0)));
}

TEST(LogarithmicTicks, AreSeveralEvenWithinADecade) {
  EXPECT_EQ(logarithmic_ticks(0.014, 0.035), (std::vector<double>{0.015, 0.02, 0.025, 0.03, 0.035}));
  EXPECT_EQ(logarithmic_ticks(0.012, 0.06), (std::vector<double>{0.015, 0.02, 0.03, 0.04, 0.05}));
  EXPECT_EQ(logarithmic_ticks(0.009, 0.11), (std::vector<double>{0.01, 0.02, 0.05, 0.1}));
  EXPECT_EQ(logarithmic_ticks(0.0009, 1.1), (std::vector<double>{0.001, 0.01, 0.1, 1}));
}

RC_GTEST_PROP(LogarithmicTicks, AreFourToTenFromLowToHighInOrder, ()) {
  const double low = std::pow(10.0, *rc::gen::inRange(-80, 40) / 10.0),
               high = low * std::pow(10.0, *rc::gen::inRange(1, 900) / 100.0);
  const std::vector<double> ticks = logarithmic_ticks(low, high);
  RC_ASSERT(ticks.size() >= 4U);
  RC_ASSERT(ticks.size() <= 10U);
  RC_ASSERT(std::is_sorted(ticks.begin(), ticks.end()));
  RC_ASSERT(ticks.front() >= low * (1 - 1e-6));
  RC_ASSERT(ticks.back() <= high * (1 + 1e-6));
}

TEST(TickText, IsShortAndHasARealMinus) {
  EXPECT_EQ(tick_text(0.1 + 0.2), "0.3");
  EXPECT_EQ(tick_text(-2.0), "−2");
  EXPECT_EQ(tick_text(0.0), "0");
  EXPECT_EQ(tick_text(0.0005), "0.0005");
  EXPECT_EQ(tick_text(1e-5), "10⁻⁵");
  EXPECT_EQ(tick_text(3e-12), "3·10⁻¹²");
  EXPECT_EQ(tick_text(250000), "2.5·10⁵");
}

TEST(Axis, PutsValuesInProportionAndOutsidersOnTheEnds) {
  const Axis linear = Axis::linear(0, 10, 100, 200), errors = Axis::logarithmic(0.01, 1, 300, 100);
  EXPECT_DOUBLE_EQ(linear.at(2.5), 125);
  EXPECT_DOUBLE_EQ(linear.at(-7), 100);
  EXPECT_DOUBLE_EQ(errors.at(0.1), 200);
  EXPECT_DOUBLE_EQ(errors.at(0), 300);
  EXPECT_TRUE(std::isfinite(Axis::linear(3, 3, 0, 1).at(3)));
}

TEST(Strokes, OfTheMethodsDependOnTheirNamesOnly) {
  const std::vector<Stroke> all = strokes_of({"random", "bald", "target", "model"}),
                            some = strokes_of({"mine", "model", "yours", "bald"});
  EXPECT_EQ(some[1].style, all[3].style);
  EXPECT_EQ(some[1].dashes, all[3].dashes);
  EXPECT_EQ(some[3].style, all[1].style);
  EXPECT_EQ(some[3].dashes, all[1].dashes);
  EXPECT_TRUE(all[3].solid());
}

TEST(Strokes, DifferInColourAndInDashesAndHaveAColourOnBothGrounds) {
  const std::vector<Stroke> strokes =
      strokes_of({"random", "bald", "target", "model", "one", "two", "three", "four"});
  std::set<std::string> styles, dashes;
  const std::string svg = svg_document(10, 10, "", "", "");
  for (const Stroke& stroke : strokes) {
    styles.insert(stroke.style);
    dashes.insert(stroke.dashes);
    const std::string rule = "." + stroke.style + "{color:";
    const std::size_t dark = svg.find("prefers-color-scheme:dark");
    EXPECT_LT(svg.find(rule), dark);
    EXPECT_NE(svg.find(rule, dark), std::string::npos);
  }
  EXPECT_EQ(styles.size(), strokes.size());
  EXPECT_EQ(dashes.size(), strokes.size());
}

TEST(Wrapped, KeepsAllWordsInLinesThatFit) {
  const std::string text = "as long a title as anybody would ever give to a picture of this size";
  const std::vector<std::string> lines = wrapped(text, 200, 13);
  EXPECT_GT(lines.size(), 1U);
  std::string joined;
  for (const std::string& line : lines) {
    EXPECT_LE(text_width(line, 13), 200);
    joined += (joined.empty() ? "" : " ") + line;
  }
  EXPECT_EQ(joined, text);
  EXPECT_TRUE(wrapped("", 200, 13).empty());
}

TEST(Spread, MovesOnlyWhatTouches) {
  EXPECT_EQ(spread({100, 10, 50}, 18, 0, 200), (std::vector<double>{100, 10, 50}));
  EXPECT_EQ(spread({100, 100}, 18, 0, 200), (std::vector<double>{91, 109}));
  EXPECT_EQ(spread({199, 198}, 18, 0, 200), (std::vector<double>{200, 182}));
  EXPECT_EQ(spread({1, 0}, 18, 0, 200), (std::vector<double>{18, 0}));
}

RC_GTEST_PROP(Spread, KeepsOrderAndGapsAndStaysInside, (const std::vector<std::uint8_t>& places)) {
  const std::vector<double> wanted(places.begin(), places.begin() + std::min<long>(8, std::ssize(places)));
  std::vector<double> found = spread(wanted, 18, 0, 255);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if (wanted[i] < wanted[k]) RC_ASSERT(found[i] < found[k]);
  std::sort(found.begin(), found.end());
  for (std::size_t i = 1; i < found.size(); ++i) RC_ASSERT(found[i] - found[i - 1] >= 18 - 1e-9);
  if (!found.empty()) {
    RC_ASSERT(found.front() >= -1e-9);
    RC_ASSERT(found.back() <= 255 + 1e-9);
  }
}

TEST(SvgCanvas, ShortensByWholeCharacters) {
  EXPECT_EQ(shortened("short", 100.0, 12.0), "short");
  const std::string cut = shortened("αβγδεζηθικλμ", 60.0, 12.0);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_LE(text_width(cut, 12.0), 60.0);
  EXPECT_EQ(cut.substr(0, cut.size() - 3).size() % 2, 0U);  // each of these letters has two bytes
}

TEST(SvgCanvas, TicksSideBySideDoNotTouch) {
  for (const double room : {60.0, 150.0, 700.0})
    for (const double high : {1.0, 0.99, 123456.7, 1e-7, 3e12}) {
      const Axis axis = Axis::linear(0.003 * high, high, 0.0, room);
      const std::vector<double> ticks = ticks_side_by_side(axis);
      for (std::size_t k = 1; k < ticks.size(); ++k)
        EXPECT_GE(axis.at(ticks[k]) - axis.at(ticks[k - 1]),
                  (text_width(tick_text(ticks[k]), 12.0) + text_width(tick_text(ticks[k - 1]), 12.0)) / 2)
            << high << " in " << room;
      EXPECT_GE(ticks.size(), 1U) << high << " in " << room;
    }
}

TEST(SvgCanvas, ANarrowAxisKeepsTwoTicksSoThatItHasAScale) {
  for (const double high : {1e-7, 1.0, 123456.7, 9.87e12}) {
    const Axis axis = Axis::linear(-high, high, 0.0, 150.0);
    const std::vector<double> ticks = ticks_side_by_side(axis);
    ASSERT_GE(ticks.size(), 2U) << high;
    EXPECT_GE(axis.at(ticks.back()) - axis.at(ticks.front()), text_width(tick_text(ticks.back()), 12.0))
        << high;
  }
}

}  // namespace
}  // namespace acuity::svg_canvas_test
