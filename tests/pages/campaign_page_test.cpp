#include "pages/campaign_page.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pages/html_page.hpp"
#include "pictures/picture_svg.hpp"
#include "pictures/svg_canvas.hpp"
#include "support/markup.hpp"
#include "support/memory_campaigns.hpp"

namespace acuity::campaign_page_test {
namespace {

using testing::MemoryCampaign;

const CampaignPageFacts facts{"0.1.0", "acuity report C --out R.html"};

// Points all over a box of so many inputs.
std::string box_pool(int inputs, int points) {
  std::string text;
  for (int k = 0; k < inputs; ++k) text += fmt::format("{}x{}", k == 0 ? "" : ",", k + 1);
  for (int i = 0; i < points; ++i)
    for (int k = 0; k < inputs; ++k)
      text += fmt::format("{}{}", k == 0 ? "\n" : ",", std::fmod(0.37 + i * std::sqrt(2.0 + k * 1.7), 1.0));
  return text + "\n";
}

CampaignData data_of(int inputs, int steps, const std::string& model = "") {
  MemoryCampaign campaign(testing::two_level_study("name = \"a <b> & c\"\nbudget = 80", model),
                          box_pool(inputs, 50));
  campaign.go(steps, [](const Suggestion& asked) { return std::sin(5.0 * asked.inputs[0]); });
  return campaign_data(*campaign);
}

CampaignData class_data(int inputs) {
  MemoryCampaign campaign(
      "[campaign]\nbudget = 60\n[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\nclasses = "
      "[\"a<b\", "
      "\"a>b\"]\n[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost = 1\n[[level]]\nname = "
      "\"expert\"\naccuracy = "
      "0.99\ncost = 5\n",
      box_pool(inputs, 50));
  campaign.go(20, [](const Suggestion& asked) { return asked.inputs[0] > 0.5 ? 1.0 : -1.0; });
  return campaign_data(*campaign);
}

// Where a line of text lies.
struct Extent {
  std::string text;
  double left, right, y;
};

std::string attribute(const std::string& tag, const std::string& name) {
  const std::size_t begin = tag.find(" " + name + "=\"") + name.size() + 3;
  return tag.substr(begin, tag.find('"', begin) - begin);
}

// Of those that are read from the left.
std::vector<Extent> extents(const std::string& svg) {
  std::vector<Extent> found;
  for (std::size_t at = svg.find("<text "); at != std::string::npos; at = svg.find("<text ", at + 1)) {
    const std::size_t end = svg.find('>', at);
    const std::string tag = svg.substr(at, end - at),
                      text = svg.substr(end + 1, svg.find('<', end) - end - 1);
    if (tag.find("rotate") != std::string::npos) continue;
    const std::string style = attribute(tag, "class"), anchor = attribute(tag, "text-anchor");
    // Narrower than what is reckoned with: letters of usual width.
    const double wide = text_width(text, style == "title"  ? 17.0
                                         : style == "tick" ? 12.0
                                                           : 13.0) *
                        0.85,
                 x = std::stod(attribute(tag, "x"));
    const double left = anchor == "start" ? x : anchor == "end" ? x - wide : x - wide / 2;
    found.push_back({text, left, left + wide, std::stod(attribute(tag, "y"))});
  }
  return found;
}

void expect_room(const std::string& svg) {
  const std::vector<Extent> texts = extents(svg);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_GE(texts[i].left, 0.0) << texts[i].text;
    EXPECT_LE(texts[i].right, 760.0) << texts[i].text;
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_FALSE(std::abs(texts[i].y - texts[j].y) < 9.0 && texts[i].left < texts[j].right &&
                   texts[j].left < texts[i].right)
          << "\"" << texts[i].text << "\" lies on \"" << texts[j].text << "\"";
  }
}

void expect_sound(const CampaignData& data) {
  const std::string html = campaign_page(data, campaign_figures(data), facts);
  EXPECT_EQ(markup_fault(html), "");
  for (const char* outside : {"<script", "http:", "https:", "<link", "@import", "url(", "nan", "<b>"})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  for (const CampaignFigure& figure : campaign_figures(data)) {
    EXPECT_NE(figure.svg.empty(), figure.absent.empty()) << figure.name;
    EXPECT_EQ(markup_fault(figure.svg), "") << figure.name;
    SCOPED_TRACE(figure.name);
    expect_room(figure.svg);
    for (const char* bad : {"nan", "=\"inf", "-inf"})
      EXPECT_EQ(figure.svg.find(bad), std::string::npos) << figure.name << " " << bad;
  }
}

TEST(CampaignPage, IsWellFormedForAnyNumberOfInputs) {
  for (const int inputs : {1, 2, 3, 8}) {
    SCOPED_TRACE(inputs);
    expect_sound(data_of(inputs, 15));
  }
}

TEST(CampaignPage, IsWellFormedForClasses) {
  for (const int inputs : {1, 2, 4}) {
    SCOPED_TRACE(inputs);
    expect_sound(class_data(inputs));
  }
}

TEST(CampaignPage, IsWellFormedForEveryKindOfLevels) {
  const std::string pool = "[campaign]\nbudget = 30\n[pool]\nfile = \"pool.csv\"\n",
                    real =
                        "[noise]\nvariance = 0.01\n[precision]\ngamma = 0.09\ncost = { form = \"power\", "
                        "c = 9.0, q = 0.6 }\n",
                    classes =
                        "[target]\nkind = \"binary\"\n[model]\nfit = 8\nfit_noise = true\n[precision]\n"
                        "gamma = 0.2\nkappa = 0.75\ncost = \"0.3 + 0.7 * alpha^2.5\"\n";
  for (const std::string& study :
       {pool + real + "alpha = { from = 1, to = inf, continuous = true }\n",
        pool + "[model]\nfit = 6\nfit_noise = true\n" + real + "alpha = { from = 1, to = inf, count = 80 }\n",
        pool + classes + "alpha = { from = 0, to = 1, continuous = true }\n",
        pool + classes + "alpha = { from = 0, to = 1, count = 30, spacing = \"linear\" }\n",
        testing::two_level_study() + "[acquisition]\ninformation = \"bald\"\n"}) {
    SCOPED_TRACE(study);
    MemoryCampaign campaign(study, box_pool(2, 40));
    const bool binary = campaign->study().file().binary();
    campaign.go(20, [&](const Suggestion& asked) {
      return binary ? (asked.inputs[0] > 0.5 ? 1.0 : -1.0) : std::sin(5.0 * asked.inputs[0]);
    });
    expect_sound(campaign_data(*campaign));
  }
}

TEST(CampaignPage, FindsRoomForLongNamesAndLargeNumbers) {
  for (const int inputs : {1, 2, 5}) {
    CampaignData data = data_of(inputs, 15, "fit = 4");
    for (std::string& input : data.inputs) input = "the temperature of the coolant at the inlet, " + input;
    for (BeliefCurve& curve : data.curves) {
      curve.input = "the temperature of the coolant at the inlet";
      for (double& x : curve.x) x = 123456.0 + 1e-3 * x;
    }
    for (BreakEven::Interval& interval : data.break_even->intervals)
      interval.level = "a mesh of two hundred and fifty six elements in each of three directions";
    for (LevelTotal& level : data.levels)
      level.name = "a mesh of two hundred and fifty six elements in each of three directions, " + level.name;
    data.unit = "core hours on the machine of the department";
    expect_sound(data);
  }
}

TEST(CampaignPage, SaysWhyAFigureIsMissingWhereThereIsNothingToDraw) {
  for (const int steps : {0, 1, 2}) {
    const CampaignData data = data_of(2, steps);
    expect_sound(data);
    EXPECT_NE(campaign_page(data, campaign_figures(data), facts).find("too few answers for a learning curve"),
              std::string::npos);
  }
}

TEST(CampaignPage, ShowsTheErrorThatIsPredictedAtTheGoal) {
  CampaignData data = data_of(2, 30);
  const std::string words = "over the points of [goal]";
  EXPECT_EQ(campaign_page(data, campaign_figures(data), facts).find(words), std::string::npos);
  for (CoursePoint& point : data.course) point.at_goal = 0.5 * point.expected;
  expect_sound(data);
  EXPECT_NE(campaign_page(data, campaign_figures(data), facts).find(words), std::string::npos);
}

TEST(CampaignPage, ShowsWarningsAndTheLastAnswers) {
  CampaignData data = data_of(1, 15);
  data.warnings = {"Mind the <gap>."};
  const std::string html = campaign_page(data, campaign_figures(data), facts);
  EXPECT_NE(html.find("Mind the &lt;gap&gt;."), std::string::npos);
  EXPECT_EQ(html.find("No warnings"), std::string::npos);
  EXPECT_EQ(count(html, "<th scope=\"row\">15</th>"), 1U);
  EXPECT_EQ(count(html, "<th scope=\"row\">3</th>"), 0U);  // the last twelve are enough
}

TEST(CampaignPage, WhatWasExpectedHasTheDigitsThatItsErrorLeaves) {
  CampaignData data = data_of(1, 5);
  const auto expect = [&](double expected, double sd, const std::string& cell) {
    data.answers.back().expected = expected;
    data.answers.back().expected_sd = sd;
    EXPECT_NE(campaign_page(data, campaign_figures(data), facts).find("<td>" + cell + "</td>"),
              std::string::npos)
        << cell;
  };
  expect(1.3842e-8, 0.43, "0 ± 0.43");
  expect(-1e-17, 0.17, "0 ± 0.17");
  expect(12.34567, 0.0213, "12.346 ± 0.021");
  expect(1234567.0, 4210.0, "1234600 ± 4200");
  expect(3.21987e-9, 1.5e-11, "3.22e-09 ± 1.5e-11");
  expect(2.5, 0.0, "2.5");
}

TEST(CampaignPage, ShortCellsStayInOneLineAndLongOnesMayBreak) {
  const std::string html = table_html(
      {{"level", "note"}, {{"fine, with every correction", "short"}, {"coarse", "short, too"}}}, "Levels");
  EXPECT_NE(html.find("<th scope=\"col\" class=\"long\">level</th><th scope=\"col\">note</th>"),
            std::string::npos);
  EXPECT_NE(html.find("<th scope=\"row\" class=\"long\">coarse</th><td>short, too</td>"), std::string::npos);
}

TEST(CampaignPage, TheLastTickOfAnAxisStaysInsideThePicture) {
  Panel panel;
  panel.x_range = {0.0, 2.5e8};
  panel.lines.push_back({.x = {0.0, 2.5e8}, .y = {0.0, 1.0}, .stroke = {"model", "none"}});
  bool found = false;
  for (const Extent& one : extents(picture_svg({.title = "Wide numbers", .panels = {panel}}))) {
    EXPECT_LE(one.right, 760.0) << one.text;
    found = found || one.text == "2.5·10⁸";
  }
  EXPECT_TRUE(found);
}

TEST(CampaignPage, ShowsHyperparametersOnceThereIsACourseOfThem) {
  const CampaignFigure none = hyperparameters_figure(data_of(2, 12)),
                       some = hyperparameters_figure(data_of(2, 12, "fit = 4\nlengthscale = [0.3, 0.3]"));
  EXPECT_TRUE(none.svg.empty());
  EXPECT_NE(some.svg.find("length scale of x2"), std::string::npos);
  EXPECT_EQ(some.svg.find("σ²"), std::string::npos);
}

TEST(CampaignPage, ShowsLearnedNoiseWhereItIsLearned) {
  CampaignData data = data_of(2, 12, "fit = 4");
  for (FitPoint& fit : data.fits) fit.noise = 0.01, fit.gamma = 0.1;
  const std::string real = hyperparameters_figure(data).svg;
  EXPECT_NE(real.find("noise variance σ²"), std::string::npos);
  EXPECT_NE(real.find("noise variance added at α = 1"), std::string::npos);
  EXPECT_EQ(real.find("κ"), std::string::npos);
}

TEST(CampaignPage, StacksSpendOfEveryLevelAndSaysWhatFailuresCost) {
  CampaignData data = data_of(1, 15);
  const CampaignFigure figure = spend_course_figure(data);
  for (const LevelTotal& level : data.levels) EXPECT_NE(figure.svg.find(level.name), std::string::npos);
  EXPECT_EQ(figure.caption, "");
  data.spent += 2.5;
  EXPECT_EQ(spend_course_figure(data).caption, "Not shown: 2.5 that failed attempts have cost.");
}

}  // namespace
}  // namespace acuity::campaign_page_test
