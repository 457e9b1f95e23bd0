#include "pages/campaign_page.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pages/html_page.hpp"
#include "pictures/picture_svg.hpp"
#include "pictures/svg_canvas.hpp"
#include "support/box_pool.hpp"
#include "support/markup.hpp"
#include "support/memory_campaigns.hpp"

namespace acuity::campaign_page_test {
namespace {

using testing::box_pool;
using testing::MemoryCampaign;

const CampaignPageFacts facts{"0.1.0", "acuity report C --out R.html"};

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
    for (std::string& input : data.books.inputs)
      input = "the temperature of the coolant at the inlet, " + input;
    for (BeliefCurve& curve : data.belief.curves) {
      curve.input = "the temperature of the coolant at the inlet";
      for (double& x : curve.x) x = 123456.0 + 1e-3 * x;
    }
    for (BreakEven::Interval& interval : data.break_even->intervals)
      interval.level = "a mesh of two hundred and fifty six elements in each of three directions";
    for (LevelTotal& level : data.books.levels)
      level.name = "a mesh of two hundred and fifty six elements in each of three directions, " + level.name;
    data.books.unit = "core hours on the machine of the department";
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
  for (CoursePoint& point : data.course.errors) point.at_goal = 0.5 * point.expected;
  expect_sound(data);
  EXPECT_NE(campaign_page(data, campaign_figures(data), facts).find(words), std::string::npos);
}

TEST(CampaignPage, SaysBelowThePredictionIfItIsNotAveraged) {
  for (const int inputs : {1, 2, 3}) {
    CampaignData data = data_of(inputs, 6);
    EXPECT_EQ(belief_figure(data).caption.find("One set."), std::string::npos);
    data.belief.note = "One set.";
    EXPECT_TRUE(belief_figure(data).caption.ends_with("One set.")) << belief_figure(data).caption;
  }
}

// Where a plan decides, what is best for a single answer says nothing about what will be bought.
TEST(CampaignPage, APlanIsShownAsWhatTheRestOfTheMoneyWillBuy) {
  CampaignData data = data_of(2, 15);
  data.is_planned = true;
  data.offered = {"coarse", "fine"};
  data.plan_text = "Planned.";
  data.plans = {
      {.remaining = 70.0, .expected = 20.0, .expected_ratio = 10.0, .planned = {52, 3}, .bought = {12, 3}},
      {.remaining = 40.0, .expected = 9.61, .expected_ratio = 10.0, .planned = {28, 2}, .bought = {7, 1}}};
  expect_sound(data);
  const CampaignFigure figure = break_even_figure(data);
  EXPECT_EQ(figure.heading, "What the rest of the money will buy");
  EXPECT_NE(figure.caption.find("Planned when 40 were left: 28 coarse, 2 fine."), std::string::npos)
      << figure.caption;
  std::string html = campaign_page(data, campaign_figures(data), facts);
  for (const char* part : {"will be bought", "weight of prices", "-4", "-3.9"})
    EXPECT_EQ(html.find(part), std::string::npos) << part;
  EXPECT_NE(html.find(">100\u00a0%<"), std::string::npos) << "the gain of the first plan";
  EXPECT_NE(html.find("a plan is made again after every few answers"), std::string::npos);
  data.plans.back().planned = {0, 0};
  EXPECT_EQ(break_even_figure(data).absent, "By the last plan, nothing more can be bought.");
  data.is_planned = false;
  data.break_even = BreakEven{.intervals = {{0.0, 1.0, "coarse"}}, .course = {}, .map = {}};
  EXPECT_EQ(break_even_figure(data).caption,
            "For one answer at a time coarse is the best at every standard deviation.");
}

TEST(CampaignPage, ACampaignWithAPlanSaysThatAPlanDecides) {
  MemoryCampaign campaign(testing::two_level_study("budget = 80") + "[acquisition]\nplan = \"budget\"\n",
                          box_pool(2, 50));
  campaign.go(12, [](const Suggestion& asked) { return std::sin(5.0 * asked.inputs[0]); });
  const CampaignData data = campaign_data(*campaign);
  EXPECT_TRUE(data.is_planned);
  ASSERT_FALSE(data.plans.empty());
  expect_sound(data);
  EXPECT_EQ(break_even_figure(data).heading, "What the rest of the money will buy");
  // Words of the mathematics are details.
  std::string html = campaign_page(data, campaign_figures(data), facts);
  for (std::size_t at = 0; (at = html.find("<details>", at)) != std::string::npos;)
    html.erase(at, html.find("</details>", at) - at);
  EXPECT_EQ(html.find(" nats"), std::string::npos) << html.substr(html.find(" nats") - 200, 300);
}

TEST(CampaignPage, FailuresHaveTheNamesOfCategories) {
  MemoryCampaign campaign(
      testing::two_level_study("budget = 80") +
          "[[input]]\nname = \"solvent\"\ntype = \"category\"\nsimilarity = 0.3\n[[input]]\nname = \"t\"\n",
      "solvent,t\nDMF,1\nwater,2\nDMF,3\nwater,4\n");
  const Suggestion asked = campaign->ask().suggestions.at(0);
  campaign->fail({.id = asked.id, .reason = "broken", .charge = 0.0, .exclude = false});
  const CampaignData data = campaign_data(*campaign);
  ASSERT_EQ(data.books.failures.size(), 1U);
  EXPECT_TRUE(data.books.failures[0].inputs.starts_with("solvent = DMF, t = ") ||
              data.books.failures[0].inputs.starts_with("solvent = water, t = "))
      << data.books.failures[0].inputs;
}

TEST(CampaignPage, HasATableOfPeopleAndSaysThatGoldIsPaid) {
  CampaignData data = class_data(2);
  EXPECT_EQ(campaign_page(data, campaign_figures(data), facts).find("id=\"people\""), std::string::npos);
  data.people = {{.name = "anna <a>",
                  .levels = {"crowd"},
                  .answers = 40,
                  .gold_right = 9,
                  .gold_wrong = 1,
                  .accuracy = 0.9,
                  .low = 0.78,
                  .high = 0.96}};
  data.books.levels.front().gold = 10;
  expect_sound(data);
  const std::string html = campaign_page(data, campaign_figures(data), facts);
  for (const char* part : {"anna &lt;a&gt;", "9 of 10", "90\u00a0%", "78\u00a0% to 96\u00a0%",
                           "10 answers to gold items are paid for, and not among these answers."})
    EXPECT_NE(html.find(part), std::string::npos) << part;
}

TEST(CampaignPage, CoverageOfFewAnswersIsNotShown) {
  CampaignData data = data_of(1, 25);
  const auto few = calibration_of("seldom", {0.1, 3.0});
  data.calibration.scores = {calibration_of("all levels", std::vector<double>(20, 0.5)), few};
  const std::string html = campaign_page(data, campaign_figures(data), facts);
  EXPECT_EQ(html.find("seldom"), std::string::npos);
  EXPECT_NE(html.find("all levels"), std::string::npos);
  data.calibration.scores = {few};
  EXPECT_EQ(campaign_page(data, campaign_figures(data), facts).find("Coverage by level"), std::string::npos);
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
    data.answers.all.back().expected = expected;
    data.answers.all.back().expected_sd = sd;
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
  for (FitPoint& fit : data.course.fits) fit.noise = 0.01, fit.gamma = 0.1;
  const std::string real = hyperparameters_figure(data).svg;
  EXPECT_NE(real.find("noise variance σ²"), std::string::npos);
  EXPECT_NE(real.find("noise variance added at α = 1"), std::string::npos);
  EXPECT_EQ(real.find("κ"), std::string::npos);
}

// Two levels, one answer per hour: the first three fine, the others coarse.
CampaignData hourly(double budget, int answers) {
  CampaignData data = data_of(1, 3);
  data.books.budget = budget;
  data.books.unit = "runs";
  data.books.levels = {{.name = "fine"}, {.name = "coarse"}};
  data.course.spending = {{0, {0.0, 0.0}}};
  data.course.money = {{0.0, 0.0}};
  for (int k = 1; k <= answers; ++k) {
    SpendPoint paid{.answers = k, .spent = data.course.spending.back().spent, .time = 3600.0 * k};
    paid.spent[k <= 3 ? 0 : 1] += k <= 3 ? 6.0 : 1.0;
    data.course.spending.push_back(paid);
    data.course.money.push_back({paid.time, paid.spent[0] + paid.spent[1]});
  }
  for (std::size_t k = 0; k < 2; ++k) data.books.levels[k].spent = data.course.spending.back().spent[k];
  data.books.spent = data.course.money.back().spent;
  data.books.free = budget - data.books.spent;
  data.course.projected_end.reset();
  return data;
}

// The places of the path of that class with the most of them; samples of the key have two.
std::vector<std::pair<double, double>> places_on(const std::string& svg, const std::string& style) {
  std::vector<std::pair<double, double>> longest;
  const std::string before = "<path class=\"" + style + "\" d=\"";
  for (std::size_t at = svg.find(before); at != std::string::npos; at = svg.find(before, at)) {
    std::vector<std::pair<double, double>> places;
    at += before.size();
    while (svg[at] == 'M' || svg[at] == 'L') {
      std::size_t end = 0;
      const double x = std::stod(svg.substr(at + 1, 20), &end);
      at += 1 + end;
      const double y = std::stod(svg.substr(at, 20), &end);
      at += end;
      places.emplace_back(x, y);
    }
    if (places.size() > longest.size()) longest = places;
  }
  return longest;
}

TEST(MoneyFigure, StacksTheLevelsUpToWhatWasSpent) {
  const CampaignData data = hourly(25.0, 7);
  const CampaignFigure figure = money_figure(data);
  EXPECT_EQ(markup_fault(figure.svg), "");
  expect_room(figure.svg);
  for (const char* name : {">fine<", ">coarse<", ">spent in total<", ">budget<", "hours since the campaign"})
    EXPECT_NE(figure.svg.find(name), std::string::npos) << name;
  EXPECT_EQ(figure.svg.find(">projected<"), std::string::npos);
  // The most precise level is the upper band; its upper edge is the line of what was spent.
  const auto upper = places_on(figure.svg, "model"), lower = places_on(figure.svg, "bald"),
             spent = places_on(figure.svg, "ink");
  ASSERT_EQ(spent.size(), 15U);  // steps: two places for each of 7 answers, and the beginning
  ASSERT_EQ(upper.size(), 30U);  // there and back
  for (std::size_t i = 0; i < spent.size(); ++i) EXPECT_EQ(upper[i], spent[i]) << i;
  // Heights are in proportion: 18 of 22 were spent at the fine level.
  const double zero = spent.front().second, top = spent.back().second;
  EXPECT_NEAR((zero - lower[14].second) / (zero - top), 4.0 / 22.0, 0.002);
  EXPECT_EQ(lower[6].second, zero);  // nothing coarse was bought in the first three hours
}

TEST(MoneyFigure, GoesOnToTheBudgetIfThatIsNear) {
  CampaignData data = hourly(40.0, 7);
  data.course.projected_end = 14.0 * 3600.0;
  const CampaignFigure near = money_figure(data);
  const auto spent = places_on(near.svg, "ink");
  EXPECT_NE(near.svg.find(">projected<"), std::string::npos);
  EXPECT_NE(near.svg.find("stroke-dasharray=\"6 4\""), std::string::npos);
  EXPECT_NE(near.caption.find("the 18 runs that are free last for another 7 hours."), std::string::npos)
      << near.caption;
  // It takes half of the width: what was spent ends in the middle.
  ASSERT_EQ(spent.size(), 15U);
  EXPECT_NEAR(spent.back().first - spent.front().first, 742.0 - spent.back().first, 0.2);

  data.course.projected_end = 36.0 * 3600.0;  // more than five times what has passed
  const CampaignFigure far = money_figure(data);
  EXPECT_EQ(far.svg.find(">projected<"), std::string::npos);
  EXPECT_NE(far.svg.find(">budget<"), std::string::npos);
  EXPECT_NE(far.caption.find("last for another 29 hours, beyond the picture."), std::string::npos)
      << far.caption;

  data.books.budget = 1000.0;  // more than five times what was spent
  data.course.projected_end = 20.0 * 3600.0;
  EXPECT_EQ(money_figure(data).svg.find(">budget<"), std::string::npos);
  EXPECT_EQ(money_figure(data).svg.find(">projected<"), std::string::npos);
}

TEST(MoneyFigure, SaysWhatIsLeftAndWhatFailuresCost) {
  CampaignData data = hourly(25.0, 7);
  EXPECT_EQ(money_figure(data).caption,
            "Where a band grows, its level was bought. Left of the budget of 25 runs: 3 runs.");
  data.books.spent += 2.9;
  data.course.money.push_back({8.0 * 3600.0, data.books.spent});
  EXPECT_EQ(money_figure(data).caption,
            "Where a band grows, its level was bought. Between the bands and the line is what failed "
            "attempts have cost: 2.9 runs. The budget of 25 runs is spent.");
  data.books.budget = HUGE_VAL;
  EXPECT_NE(money_figure(data).caption.find("There is no limit to the budget."), std::string::npos);
  data.books.spent = 0.0;
  EXPECT_EQ(money_figure(data).absent, "No answer has cost anything.");
}

TEST(MoneyFigure, IsOverAnswersIfAllCameWithinAMinute) {
  CampaignData data = hourly(25.0, 7);
  const auto come_within = [&](double seconds) {
    for (std::size_t k = 1; k < data.course.spending.size(); ++k)
      data.course.spending[k].time = data.course.money[k].time =
          500.0 + seconds * static_cast<double>(k - 1) / 6.0;
    return money_figure(data).svg;
  };
  const std::string answers = come_within(59.0), time = come_within(61.0);
  EXPECT_NE(answers.find(">answers<"), std::string::npos);
  EXPECT_EQ(answers.find("since the campaign"), std::string::npos);
  EXPECT_NE(answers.find(">budget<"), std::string::npos);
  EXPECT_NE(time.find(">minutes since the campaign was created<"), std::string::npos);
}

TEST(MoneyFigure, IsNoLargerForManyAnswers) {
  EXPECT_LT(money_figure(hourly(1e6, 50000)).svg.size(), 100000U);
}

}  // namespace
}  // namespace acuity::campaign_page_test
