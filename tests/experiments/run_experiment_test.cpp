#include "experiments/run_experiment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "acuity/base/errors.hpp"

namespace acuity::run_experiment_test {
namespace {

std::vector<ExperimentRun> runs_of(const Experiment& experiment, int repeats = 1) {
  const std::atomic<bool> go_on{false};
  std::vector<ExperimentRun> runs;
  for (int repeat = 0; repeat < repeats; ++repeat)
    for (std::size_t method = 0; method < experiment.methods.size(); ++method)
      runs.push_back(*run_method(experiment, method, {.seed = 1, .number = repeat}, go_on));
  return runs;
}

std::vector<ExperimentRun> small_runs(const std::string& name, const ExperimentOptions& more = {}) {
  ExperimentOptions options = more;
  options.small = true;
  return runs_of(make_experiment(name, options), 2);
}

TEST(Experiments, AreThoseOfThePaper) {
  std::vector<std::string> names;
  for (const ExperimentName& one : paper_experiments()) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"sine-q0.2", "sine-q0.8", "sine-q1", "sine-q2", "sine-skewed-w3",
                                             "sine-skewed-w5", "sine-skewed-w7", "sine-learned-w3",
                                             "sine-learned-w5", "uci-concrete", "uci-concrete-inputs",
                                             "uci-superconductivity", "toy-v1", "toy-v2", "toy-v3",
                                             "toy-v1-half", "toy-v2-half", "toy-v3-half"}));
  EXPECT_THROW(make_experiment("sine-q3", {}), InputError);
}

TEST(RunMethod, SpendsTheBudgetAndNotMore) {
  for (const ExperimentRun& run : small_runs("sine-q1")) {
    EXPECT_LE(run.steps.back().spent, 14.0 + 1e-9);
    EXPECT_GT(run.steps.back().spent, 13.9);
    EXPECT_EQ(run.steps.size(), run.method == "random" || run.method == "bald" ? 14U : 50U) << run.method;
    std::set<std::string> points;
    for (const Step& step : run.steps)
      EXPECT_TRUE(points.insert(step.point).second) << "a chosen point leaves the pool";
  }
}

TEST(RunMethod, SharesTheInitialAnswersOfARepeatAmongMethods) {
  const std::vector<ExperimentRun> runs = small_runs("sine-q1");
  for (const ExperimentRun& run : runs)
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_EQ(run.steps[i].y, runs[run.repeat == 0 ? 0 : 4].steps[i].y);
      EXPECT_TRUE(std::isnan(run.steps[i].information));
    }
  EXPECT_NE(runs[0].steps[0].y, runs[4].steps[0].y);
}

// The curve drawn from the evaluations on the grid is the one that evaluations everywhere would give: checked
// where every annotation hits a line, and where none does.
TEST(RunMethod, EvaluatesOnBothSidesOfEveryLineOfTheGrid) {
  for (const char* name : {"sine-q0.8", "sine-q2"})
    for (const ExperimentRun& run : small_runs(name)) {
      EXPECT_FALSE(std::isnan(run.steps[9].error)) << "the curve starts where the initial set is complete";
      EXPECT_FALSE(std::isnan(run.steps.back().error));
      for (double line = 10.5; line < run.steps.back().spent; line += cost_grid) {
        std::size_t after = 0;
        while (run.steps[after].spent < line - 1e-9) ++after;
        const bool hit = std::abs(run.steps[after].spent - line) < 1e-9;
        const bool known_before = hit || !std::isnan(run.steps[after - 1].error);
        EXPECT_TRUE(known_before && !std::isnan(run.steps[after].error))
            << name << " " << run.method << " " << line;
      }
    }
  int evaluated = 0;
  const ExperimentRun model = small_runs("sine-q2")[3];
  for (const Step& step : model.steps) evaluated += !std::isnan(step.error);
  EXPECT_LT(evaluated, 20) << "and hardly anywhere else, of " << model.steps.size();
}

// math.md 5.3: gamma / c is at most the base noise everywhere, so with q >= 1 information per cost is best at
// alpha = 1, with the ladder and with any precision on offer.
TEST(RunMethod, BuysTheLowestPrecisionWhereTheoryKnowsIt) {
  for (const Mode mode : {Mode::acuity, Mode::paper})
    for (const ExperimentRun& run : small_runs("sine-q1", {.mode = mode}))
      for (std::size_t i = 10; i < run.steps.size(); ++i) {
        const bool per_cost = run.method == "model" || run.method == "target";
        EXPECT_EQ(run.steps[i].alpha, per_cost ? 1.0 : std::numeric_limits<double>::infinity());
      }
}

TEST(RunMethod, WithQ1BothModesBuyTheSame) {
  const std::vector<ExperimentRun> any = small_runs("sine-q1"),
                                   ladder = small_runs("sine-q1", {.mode = Mode::paper});
  for (std::size_t k = 0; k < any.size(); ++k) {
    ASSERT_EQ(any[k].steps.size(), ladder[k].steps.size());
    for (std::size_t i = 0; i < any[k].steps.size(); ++i)
      EXPECT_EQ(any[k].steps[i].point, ladder[k].steps[i].point);
  }
}

TEST(RunMethod, WithQ08ThePrecisionIsNoneOfTheLaddersLevels) {
  const ExperimentRun model = small_runs("sine-q0.8")[3];
  int between = 0;
  for (const Step& step : model.steps) {
    const double level = 99.0 / step.alpha;
    between += std::abs(level - std::round(level)) > 1e-6;
  }
  EXPECT_GT(between, 5);
}

TEST(RunMethod, UnderGraphBTargetTakesTheFirstOpenRow) {
  const std::vector<ExperimentRun> runs = small_runs("sine-skewed-w3");
  ASSERT_EQ(runs[2].method, "target");
  for (std::size_t i = 10; i < runs[2].steps.size(); ++i) {
    EXPECT_EQ(runs[2].steps[i].point, std::to_string(i));
    EXPECT_TRUE(std::isinf(runs[2].steps[i].information));
  }
}

TEST(RunMethod, AtHalfTheLowestLabelsTellNothingAndModelIsBald) {
  const std::vector<ExperimentRun> runs = small_runs("toy-v1-half");
  ASSERT_EQ(runs[1].method, "bald");
  ASSERT_EQ(runs[3].method, "model");
  ASSERT_EQ(runs[1].steps.size(), runs[3].steps.size());
  for (std::size_t i = 0; i < runs[1].steps.size(); ++i) {
    EXPECT_EQ(runs[1].steps[i].point, runs[3].steps[i].point);
    EXPECT_EQ(runs[3].steps[i].alpha, 1.0);
  }
}

TEST(RunMethod, LearnsInEveryStepBesideTheFixedTwin) {
  const std::vector<ExperimentRun> runs = small_runs("sine-learned-w3");
  ASSERT_EQ(runs.size(), 16U);
  ASSERT_EQ(runs[7].method, "model fixed");
  EXPECT_GT(runs[3].seconds.learning, 0.0);
  EXPECT_EQ(runs[7].seconds.learning, 0.0);
  EXPECT_EQ(runs[3].steps[0].y, runs[7].steps[0].y) << "the same data";
  EXPECT_NE(runs[3].final_error(), runs[7].final_error());
}

TEST(RunMethod, LearnsOnAScheduleWhereAsked) {
  const std::vector<ExperimentRun> never = small_runs("sine-q1"),
                                   fifth = small_runs("sine-q1", {.fit_every = 5});
  for (std::size_t k = 0; k < never.size(); ++k) {
    EXPECT_EQ(never[k].steps.size(), fifth[k].steps.size());
    EXPECT_NE(never[k].final_error(), fifth[k].final_error()) << never[k].method;
    EXPECT_LT(fifth[k].final_error(), 0.3) << "the sine is found, and nothing has collapsed";
  }
}

TEST(RunMethod, StopsWhenTold) {
  const std::atomic<bool> stop{true};
  EXPECT_FALSE(run_method(make_experiment("sine-q1", {.small = true}), 0, {}, stop));
}

}  // namespace
}  // namespace acuity::run_experiment_test
