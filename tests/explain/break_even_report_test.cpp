#include "explain/break_even_report.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "acuity/acquisition/break_even.hpp"
#include "acuity/study/study_learner.hpp"
#include "numerics/random.hpp"
#include "support/memory_campaigns.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"
#include "text/level_text.hpp"
#include "views/study_warnings.hpp"

namespace acuity::break_even_report_test {
namespace {

using testing::Folder;

std::string levels(const std::vector<std::pair<double, double>>& precision_and_cost, bool binary = false) {
  std::string text;
  int number = 0;
  for (const auto& [precision, cost] : precision_and_cost)
    text += "[[level]]\nname = \"l" + std::to_string(number++) + "\"\n" +
            (binary ? "accuracy = " : "noise_sd = ") + std::to_string(precision) +
            "\ncost = " + std::to_string(cost) + "\n";
  return text;
}

struct Checked {
  Study study;
  StudyModel model;
};

Checked open(const Folder& folder, const std::string& rest, const std::string& pool = "x\n0\n1\n2\n3\n") {
  folder.write("pool.csv", pool);
  Study study = Study::open(
      folder.write("study.toml", testing::with_given_model("[pool]\nfile = \"pool.csv\"\n" + rest)));
  StudyModel model = StudyLearner(study).model_given({});
  return {std::move(study), std::move(model)};
}

bool wins_at_price(Checked& checked, std::size_t level, double price) {
  StudyModel model = checked.model;
  model.offer.levels[level].cost = price;
  return break_even_report(checked.study, model).prices[level].wins;
}

TEST(BreakEvenReport, PricesAreThoseAtWhichALevelComesAndGoes) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    numerics::Draws draws(5, numerics::Purpose::data, seed);
    const bool binary = seed % 4 == 3;
    std::vector<std::pair<double, double>> list;
    double precision = binary ? 0.6 : draws.uniform(0.3, 2.0), cost = 1.0;
    for (int k = 0; k < 3; ++k) {
      list.emplace_back(precision, cost);
      precision = binary ? precision + draws.uniform(0.05, 0.19) : precision * draws.uniform(0.2, 0.8);
      cost *= draws.uniform(1.1, 5.0);
    }
    const Folder folder;
    Checked checked = open(folder, (binary ? "[target]\nkind = \"binary\"\n" : "") + levels(list, binary));
    const BreakEvenReport report = break_even_report(checked.study, checked.model);
    for (std::size_t k = 0; k < 3; ++k) {
      const double price = report.prices[k].wins_below;
      ASSERT_GT(price, 0.0);
      EXPECT_EQ(report.prices[k].wins, list[k].second < price) << seed;
      EXPECT_TRUE(wins_at_price(checked, k, price * (1 - 1e-6))) << seed << " " << k;
      EXPECT_FALSE(wins_at_price(checked, k, price * (1 + 1e-6))) << seed << " " << k;
    }
  }
}

TEST(BreakEvenReport, SaysWhenOneLevelWinsEverywhere) {
  const Folder folder;
  const Checked one = open(folder, levels({{0.5, 1.0}, {0.1, 1.001}}));
  const BreakEvenReport report = break_even_report(one.study, one.model);
  ASSERT_TRUE(report.only);
  EXPECT_EQ(report.only->name, "l1");
  EXPECT_NE(to_text(report, "h").find("only l1 will be bought"), std::string::npos);
  const Checked two = open(folder, levels({{0.5, 1.0}, {0.1, 8.0}}));
  EXPECT_FALSE(break_even_report(two.study, two.model).only);
}

TEST(BreakEvenReport, IntervalsGoFromZeroToThePriorsSdWithoutGaps) {
  const Folder folder;
  for (const char* information : {"model", "target"}) {
    const Checked checked = open(folder, std::string("[acquisition]\ninformation = \"") + information +
                                             "\"\n" + levels({{0.5, 1.0}, {0.2, 3.0}, {0.05, 12.0}}));
    const BreakEvenReport report = break_even_report(checked.study, checked.model);
    ASSERT_GE(report.intervals.size(), 2U) << information;
    EXPECT_EQ(report.intervals.front().from_sd, 0.0);
    EXPECT_NEAR(report.intervals.back().to_sd, 1.0, 1e-12);
    for (std::size_t k = 1; k < report.intervals.size(); ++k)
      EXPECT_EQ(report.intervals[k].from_sd, report.intervals[k - 1].to_sd);
  }
}

// Noise far below the prior's standard deviation, as in a study that leaves model.amplitude at 1.
TEST(BreakEvenReport, PricesAgreeWithTheIntervalsForVerySmallNoise) {
  const Folder folder;
  for (const char* information : {"model", "target"}) {
    const Checked checked = open(folder, std::string("[acquisition]\ninformation = \"") + information +
                                             "\"\n" + levels({{12e-4, 1.0}, {3.6e-4, 8.0}, {0.96e-4, 64.0}}));
    const BreakEvenReport report = break_even_report(checked.study, checked.model);
    ASSERT_EQ(report.intervals.size(), 3U);
    EXPECT_FALSE(report.only);
    for (const BreakEvenReport::LevelPrice& one : report.prices) {
      EXPECT_TRUE(one.wins) << one.level.name;
      EXPECT_GT(one.wins_below, one.level.cost) << one.level.name;
    }
  }
}

BreakEvenReport without_a_model(const std::vector<std::pair<double, double>>& list,
                                const std::string& rest = "") {
  const Folder folder;
  folder.write("pool.csv", "x\n0\n1\n2\n3\n");
  const Study study =
      Study::open(folder.write("study.toml", "[pool]\nfile = \"pool.csv\"\n" + rest + levels(list)));
  return break_even_report(study, StudyLearner(study).model_given({}));
}

// Nothing says how large the answers are: the unit of the noise must not change which levels are the best.
TEST(BreakEvenReport, WithoutAKnownSizeOfAnswersTheTableFollowsTheUnitOfTheNoise) {
  for (const double unit : {1e-4, 1.0, 1e4}) {
    const BreakEvenReport report = without_a_model({{8.0 * unit, 1.0}, {3.0 * unit, 6.0}, {0.8 * unit, 30.0}},
                                                   "[acquisition]\ninformation = \"model\"\n");
    EXPECT_FALSE(report.size_known);
    EXPECT_FALSE(report.only) << unit;
    ASSERT_EQ(report.intervals.size(), 2U) << unit;
    EXPECT_EQ(report.intervals[0].level.name, "l2");
    EXPECT_EQ(report.intervals[1].level.name, "l0");
    const std::vector<PricedNoise> priced{
        {64.0 * unit * unit, 1.0}, {9.0 * unit * unit, 6.0}, {0.64 * unit * unit, 30.0}};
    const std::vector<BreakEvenInterval> exact = break_even_table(priced);
    ASSERT_EQ(exact.size(), 2U);
    EXPECT_NEAR(report.intervals[1].from_sd, std::sqrt(exact[1].from), 1e-6 * unit);
    EXPECT_NEAR(report.intervals[1].to_sd, 80.0 * unit, 1e-9 * unit);
    const std::string text = to_text(report, "min");
    EXPECT_NE(text.find("the size of the answers is not known yet"), std::string::npos) << text;
    EXPECT_EQ(text.find("before anything is known"), std::string::npos) << text;
  }
  const BreakEvenReport given = without_a_model({{8.0, 1.0}, {0.8, 30.0}}, "[model]\namplitude = 1\n");
  EXPECT_TRUE(given.size_known);
  EXPECT_EQ(given.prior_sd, 1.0);
}

TEST(BreakEvenReport, TheOnlyLevelIsBoughtAtAnyPrice) {
  const Folder folder;
  const Checked checked = open(folder, levels({{0.5, 1.0}}));
  const BreakEvenReport report = break_even_report(checked.study, checked.model);
  EXPECT_TRUE(std::isinf(report.prices.at(0).wins_below));
  const std::string text = to_text(report, "EUR");
  EXPECT_NE(text.find("l0 costs 1 EUR and is the only level\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("would not be"), std::string::npos);
}

// MI(answer; f) has a break-even in closed form: the slow twin is the table of math.md 5.5.
TEST(BreakEvenReport, BoundariesAreThoseOfTheExactTable) {
  int boundaries = 0;
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    numerics::Draws draws(6, numerics::Purpose::data, seed);
    std::vector<std::pair<double, double>> list;
    double noise = std::pow(10.0, draws.uniform(-3.0, 0.0)), cost = 1.0;
    for (int k = 0; k < 5; ++k) {
      list.emplace_back(noise, cost);
      noise *= draws.uniform(0.3, 0.9), cost *= draws.uniform(1.05, 4.0);
    }
    const Folder folder;
    const Checked checked = open(folder, levels(list));
    std::vector<PricedNoise> priced;
    for (const Level& level : checked.model.offer.levels)
      priced.push_back({noise_variance(level.channel), level.cost});
    std::vector<BreakEvenInterval> exact = break_even_table(priced);
    std::erase_if(exact, [](const BreakEvenInterval& one) { return one.from >= 1.0; });
    const BreakEvenReport report = break_even_report(checked.study, checked.model);
    ASSERT_EQ(report.intervals.size(), exact.size()) << seed;
    for (std::size_t k = 0; k < exact.size(); ++k, ++boundaries) {
      EXPECT_EQ(report.intervals[k].level.name, checked.model.offer.levels[exact[k].level].name) << seed;
      EXPECT_NEAR(report.intervals[k].from_sd, std::sqrt(exact[k].from), 1e-6 * std::sqrt(exact[k].from));
    }
  }
  EXPECT_GT(boundaries, 40);
}

TEST(BreakEvenReport, HasTheIntervalsOfTheCampaignsPage) {
  const std::string pool = "[pool]\nfile = \"pool.csv\"\n";
  const std::string list = levels({{0.5, 1.0}, {0.2, 3.0}, {0.05, 12.0}});
  const std::string ladder =
      "[noise]\nvariance = 0.01\n[precision]\nalpha = [1, 2, 5, 20]\ngamma = 0.09\n"
      "cost = { form = \"power\", c = 9.0, q = 0.6 }\n";
  for (const char* information : {"model", "target"})
    for (const std::string& offer : {list, ladder}) {
      const std::string study = pool + "[acquisition]\ninformation = \"" + information + "\"\n" + offer;
      testing::MemoryCampaign campaign(study, testing::pool_on_a_line(7, 3.0));
      const BreakEvenReport check = break_even_report(campaign->study(), campaign->model());
      const std::optional<BreakEven> page =
          break_even_view(campaign->study(), CampaignModel(campaign->study(), campaign->state()));
      ASSERT_TRUE(page);
      ASSERT_GE(check.intervals.size(), 2U) << study;
      ASSERT_EQ(page->intervals.size(), check.intervals.size()) << study;
      for (std::size_t k = 0; k < check.intervals.size(); ++k) {
        EXPECT_EQ(page->intervals[k].from_sd, check.intervals[k].from_sd);
        EXPECT_EQ(page->intervals[k].to_sd, check.intervals[k].to_sd);
        EXPECT_EQ(page->intervals[k].level, describe(check.intervals[k].level));
      }
    }
}

// The selection buys the cheapest of levels that tie, wherever it is in the list.
TEST(BreakEvenReport, OfTiesTheCheapestWins) {
  const Folder folder;
  for (const bool cheap_first : {true, false}) {
    const Checked checked =
        open(folder,
             "[target]\nkind = \"binary\"\n" +
                 levels(cheap_first ? std::vector<std::pair<double, double>>{{0.8, 1.0}, {0.8, 1.0000000001}}
                                    : std::vector<std::pair<double, double>>{{0.8, 1.0000000001}, {0.8, 1.0}},
                        true));
    const BreakEvenReport report = break_even_report(checked.study, checked.model);
    for (const BreakEvenReport::Winner& one : report.winners) EXPECT_EQ(one.level.cost, 1.0);
  }
}

TEST(BreakEvenReport, LevelsDoNotCompeteWhereOnlyOneIsAskedFor) {
  const Folder folder;
  const Checked checked =
      open(folder, "[acquisition]\ninformation = \"bald\"\n" + levels({{0.5, 1.0}, {0.1, 8.0}}));
  EXPECT_FALSE(break_even_report(checked.study, checked.model).levels_compete);
}

TEST(BreakEvenReport, OfAContinuousLadderHasTheBestOfAllPrecisions) {
  const Folder folder;
  const Checked real = open(folder,
                            "[noise]\nvariance = 0.01\n[precision]\ngamma = 0.09\n"
                            "alpha = { from = 1, to = inf, continuous = true }\n"
                            "cost = { form = \"power\", c = 9.0, q = 0.6 }\n");
  const Checked classes = open(folder,
                               "[target]\nkind = \"binary\"\n[model]\namplitude = 2\n[precision]\n"
                               "alpha = { from = 0, to = 1, continuous = true }\ngamma = 0.2\nkappa = 0.78\n"
                               "cost = \"0.3 + 0.7 * alpha^2.5\"\n");
  for (const Checked* checked : {&real, &classes}) {
    const BreakEvenReport report = break_even_report(checked->study, checked->model);
    EXPECT_TRUE(report.continuous);
    EXPECT_TRUE(report.prices.empty() && report.intervals.empty());
    int between = 0;
    for (const BreakEvenReport::Winner& one : report.winners) {
      const BestPrecision best = *checked->model.acquisition.information->best_precision_at(
          {Vector::Constant(1, one.mean), Vector::Constant(1, one.sd * one.sd)},
          {.levels = checked->model.offer.levels, .base_noise = Vector::Constant(1, report.base_noise)}, 0,
          *checked->model.acquisition.continuous, std::numeric_limits<double>::infinity());
      EXPECT_EQ(one.level.alpha, best.precision.alpha);
      between += checked->study.offer().levels[0].alpha != one.level.alpha &&
                 checked->study.offer().levels[1].alpha != one.level.alpha;
    }
    EXPECT_GT(between, 1);
    EXPECT_FALSE(report.only);
    EXPECT_EQ(to_text(report, "h").find("Prices"), std::string::npos);
    EXPECT_NE(to_text(report, "h").find("best of all precisions"), std::string::npos);
  }
}

TEST(BreakEvenReport, SaysWhenOnePrecisionOfAContinuousLadderWinsEverywhere) {
  const Folder folder;
  const Checked steep = open(folder,
                             "[noise]\nvariance = 0.1\n[precision]\ngamma = 0.09\n"
                             "alpha = { from = 1, to = inf, continuous = true }\n"
                             "cost = { form = \"power\", c = 9.0, q = 2.0 }\n");
  const BreakEvenReport report = break_even_report(steep.study, steep.model);
  ASSERT_TRUE(report.only);
  EXPECT_EQ(*report.only->alpha, 1.0);
}

std::string warnings_of(const Checked& checked, const std::vector<double>& known = {}) {
  std::vector<Annotation> annotations;
  for (const double y : known)
    annotations.push_back(
        {.place = Index{0}, .value = y, .channel = GaussianChannel{0.1}, .level = {}, .alpha = {}});
  std::string text;
  for (const std::string& warning : study_warnings(checked.study, checked.model, annotations))
    text += warning + "\n";
  return text;
}

// With a plan other levels may be bought, whatever is best for a single answer.
TEST(BreakEvenReport, IsAboutOneAnswerAtATimeWhereAPlanDecides) {
  const Folder folder;
  const std::string both = levels({{0.5, 1.0}, {0.49, 80.0}});
  const auto text = [&](const std::string& plan) {
    const Checked checked =
        open(folder, both + "[campaign]\nbudget = 100\n[acquisition]\nplan = \"" + plan + "\"\n");
    return to_text(break_even_report(checked.study, checked.model), "h");
  };
  EXPECT_NE(text("none").find("only l0 will be bought"), std::string::npos) << text("none");
  EXPECT_EQ(text("budget").find("will be bought"), std::string::npos) << text("budget");
  EXPECT_NE(text("budget").find("one answer at a time (the plan may buy others)"), std::string::npos);
  EXPECT_NE(text("budget").find("l0 is always the best for a single answer"), std::string::npos);
}

TEST(StudyWarnings, AreNoneWhereNothingLooksWrong) {
  const Folder folder;
  EXPECT_EQ(warnings_of(open(folder, levels({{0.5, 1.0}, {0.1, 8.0}})), {0.1, -0.4, 0.9}), "");
}

TEST(StudyWarnings, NameWhatLooksWrong) {
  const Folder folder;
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const std::string list = levels({{0.5, 1.0}, {0.1, 8.0}});
  EXPECT_TRUE(
      has(warnings_of(open(folder, list, "x,z\n0,7\n1,7\n")), "input \"z\" is the same at every pool point"));
  EXPECT_TRUE(has(warnings_of(open(folder, list, "x\n0\n5000\n")), "spans 5e+03 length scales"));
  EXPECT_TRUE(has(warnings_of(open(folder, list, "x\n0\n0.001\n")),
                  "input \"x\" can change f by 0.001 of its standard"));
  EXPECT_TRUE(has(warnings_of(open(folder, list, "x\n0\n1\n1.0000000001\n2\n")),
                  "1 pair of pool points is the same place"));
  EXPECT_TRUE(
      has(warnings_of(open(folder, levels({{0.5, 1.0}, {0.1, 5e6}}))), "costs span a factor of 5e+06"));
  EXPECT_TRUE(
      has(warnings_of(open(folder, list), {1e-3, 1e-3, 2e-3}), "is larger than the spread of what is known"));
  EXPECT_TRUE(
      has(warnings_of(open(folder, list), {0.001, 0.2, 60.0}), "its logarithm may be what is smooth"));
  EXPECT_TRUE(has(warnings_of(open(folder, list), {1.0, 0.2, 60.0}), "prior standard deviations"));
}

// A long length scale with a large amplitude is a straight line: the input matters as much as its slope.
TEST(StudyWarnings, AnInputWithALongLengthScaleIsJudgedByWhatItChanges) {
  const Folder folder;
  std::string pool = "x,idle\n";
  for (int i = 0; i < 40; ++i) pool += fmt::format("{},{}\n", 0.025 * i, (i * 17) % 40 * 0.025);
  const auto notes = [&](double slope) {
    const Checked checked = open(folder,
                                 "[model]\namplitude = 100\nlengthscale = [60, 60]\nmean = 0\n"
                                 "fit = \"never\"\n" +
                                     levels({{0.01, 1.0}, {0.001, 8.0}}),
                                 pool);
    std::vector<Annotation> known;
    for (Index i = 0; i < 40; i += 3)
      known.push_back({.place = i,
                       .value = slope * checked.study.pool().point(i)[0],
                       .channel = GaussianChannel{1e-6},
                       .level = {},
                       .alpha = {}});
    std::string text;
    for (const std::string& warning :
         study_warnings(checked.study, StudyLearner(checked.study).model_given(known), known))
      text += warning + "\n";
    return text;
  };
  const std::string text = notes(2.0);
  EXPECT_EQ(text.find("\"x\""), std::string::npos) << text;
  EXPECT_NE(text.find("input \"idle\" changes mean of f by"), std::string::npos) << text;
  EXPECT_EQ(text.find("length scales only"), std::string::npos) << text;
}

}  // namespace
}  // namespace acuity::break_even_report_test
