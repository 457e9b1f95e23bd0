#include "experiments/sine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace acuity {
namespace {

SineOptions small() {
  return {.pool = 300, .test = 100, .budget = 16.0, .repeats = 2, .threads = 1};
}

TEST(Sine, SpendsTheBudgetAndNotMore) {
  for (const ExperimentRun& run : run_sine(small())) {
    EXPECT_LE(run.steps.back().spent, 16.0 + 1e-9);
    EXPECT_GT(run.steps.back().spent, 15.9);
    EXPECT_EQ(run.steps.size(), run.method == "random" || run.method == "bald" ? 16U : 70U) << run.method;
    std::set<std::string> points;
    for (const Step& step : run.steps)
      EXPECT_TRUE(points.insert(step.point).second) << "a chosen point leaves the pool";
  }
}

// math.md 5.3: gamma / c is at most the base noise everywhere, so with q = 1 information per cost is best at
// alpha = 1.
TEST(Sine, WithQ1TheInformationPerCostRuleBuysTheLowestPrecision) {
  for (const ExperimentRun& run : run_sine(small()))
    for (std::size_t i = 10; i < run.steps.size(); ++i) {
      const bool per_cost = run.method == "model" || run.method == "target";
      EXPECT_EQ(run.steps[i].alpha, per_cost ? 1.0 : std::numeric_limits<double>::infinity());
    }
}

TEST(Sine, MethodsShareTheInitialAnswersOfARepeat) {
  const std::vector<ExperimentRun> runs = run_sine(small());
  for (const ExperimentRun& run : runs)
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_EQ(run.steps[i].y, runs[run.repeat == 0 ? 0 : 4].steps[i].y);
      EXPECT_TRUE(std::isnan(run.steps[i].information));
    }
  EXPECT_NE(runs[0].steps[0].y, runs[4].steps[0].y);
}

TEST(Sine, DoesNotDependOnTheNumberOfThreads) {
  SineOptions one = small(), three = small();
  three.threads = 3;
  const std::vector<ExperimentRun> a = run_sine(one), b = run_sine(three);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].method, b[i].method);
    EXPECT_EQ(a[i].final_error(), b[i].final_error());
  }
}

TEST(Sine, LearnsOnItsSchedule) {
  SineOptions fixed = small(), learned = small();
  fixed.repeats = learned.repeats = 1;
  learned.fit_every = 5;
  const std::vector<ExperimentRun> a = run_sine(fixed), b = run_sine(learned);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].steps.size(), b[i].steps.size());
    EXPECT_NE(a[i].final_error(), b[i].final_error()) << a[i].method;
    EXPECT_LT(b[i].final_error(), 0.2) << "the sine is found, and nothing has collapsed";
  }
}

TEST(Sine, ReportsItsProgress) {
  int calls = 0, last = 0;
  run_sine({.pool = 50, .test = 10, .budget = 11, .repeats = 1, .threads = 2}, [&](int done, int total) {
    ++calls;
    last = done;
    EXPECT_EQ(total, 4);
  });
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(last, 4);
}

}  // namespace
}  // namespace acuity
