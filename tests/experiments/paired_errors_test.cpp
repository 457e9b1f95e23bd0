#include "experiments/paired_errors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace acuity::paired_errors_test {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

ExperimentRun make_run(const std::string& method, int repeat, double error) {
  return {.method = method, .repeat = repeat, .steps = {{.spent = 1.0, .error = error}}};
}

TEST(LastError, IsTheLastOneEvaluated) {
  EXPECT_EQ(last_error(
                {.steps = {{.spent = 1, .error = 3}, {.spent = 2, .error = 2}, {.spent = 3, .error = none}}}),
            2.0);
  EXPECT_THROW(last_error({.steps = {{.spent = 1, .error = none}}}), std::invalid_argument);
}

TEST(PairedErrors, PairsByRepeatAndNotByOrder) {
  const PairedErrors pairs =
      paired_errors({make_run("model", 0, 1.0), make_run("model", 1, 5.0), make_run("model", 2, 3.0),
                     make_run("model", 7, 0.0), make_run("bald", 2, 3.0), make_run("bald", 1, 4.0),
                     make_run("bald", 0, 3.0), make_run("random", 7, 1.0)},
                    "model", "bald");
  EXPECT_EQ(pairs.better, 1);
  EXPECT_EQ(pairs.worse, 1);
  EXPECT_EQ(pairs.equal, 1);
  EXPECT_EQ(pairs.repeats(), 3);
  EXPECT_EQ(pairs.wins(), 1.5);
  EXPECT_EQ(pairs.median_difference, 0.0);  // of -2, 1 and 0
  EXPECT_EQ(pairs.median_over, 3.0);
  EXPECT_EQ(pairs.gain(), 0.0);
}

TEST(PairedErrors, GainIsAShareOfTheOthersError) {
  const PairedErrors pairs =
      paired_errors({make_run("model", 0, 3.0), make_run("bald", 0, 4.0)}, "model", "bald");
  EXPECT_EQ(pairs.gain(), 0.25);
  EXPECT_EQ(paired_errors({make_run("model", 0, 0.0), make_run("bald", 0, 0.0)}, "model", "bald").gain(),
            0.0);
}

TEST(PairedErrors, NeedARepeatThatHasBoth) {
  EXPECT_THROW(paired_errors({make_run("model", 0, 1.0), make_run("bald", 1, 1.0)}, "model", "bald"),
               std::invalid_argument);
}

// The slow twin of the sign test: every sequence of throws.
double share_of_sequences(int heads, int throws) {
  int as_good = 0;
  for (unsigned sequence = 0; sequence < 1U << throws; ++sequence)
    as_good += __builtin_popcount(sequence) >= heads;
  return as_good / std::pow(2.0, throws);
}

TEST(PairedErrors, ChanceAgreesWithCountingEverySequenceOfACoin) {
  for (int better = 0; better <= 12; ++better)
    for (int worse = 0; worse + better <= 12; ++worse) {
      const PairedErrors pairs{.better = better, .worse = worse, .equal = 3};
      EXPECT_NEAR(pairs.chance_of_better(), share_of_sequences(better, better + worse), 1e-12);
      EXPECT_NEAR(pairs.chance_of_worse(), share_of_sequences(worse, better + worse), 1e-12);
    }
  const PairedErrors many{.better = 2000, .worse = 0};
  EXPECT_LT(many.chance_of_better(), 1e-300);
  EXPECT_NEAR(many.chance_of_worse(), 1.0, 1e-9);
}

}  // namespace
}  // namespace acuity::paired_errors_test
