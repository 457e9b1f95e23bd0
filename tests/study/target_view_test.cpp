#include "study/target_view.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace acuity::target_view_test {
namespace {

TEST(TargetView, NamesThePredictionsOfNumbers) {
  const auto view = TargetView::of(*Target::real());
  EXPECT_EQ(view->prediction_axis(), "f");
  EXPECT_EQ(view->prediction_range(), std::nullopt);
  EXPECT_EQ(view->on_prediction_axis(-3.5), -3.5);
  EXPECT_EQ(view->answer_text(-3.5), "-3.5");
  EXPECT_EQ(view->prediction_text(1.23456, 0.012), "1.235 ± 0.012");
  EXPECT_EQ(view->error_text(0.5, std::nullopt), "0.5");
  EXPECT_EQ(view->error_text(0.5, 0.25), "0.5 (predicted by the model: 0.25)");
  EXPECT_EQ(view->recent_error_text(0.5, 1), "typical prediction error, last 1 answer: 0.5");
  EXPECT_EQ(view->precision_axis(true), "1/α");
}

TEST(TargetView, NamesThePredictionsOfClasses) {
  const auto view = TargetView::of(*Target::classes({"no", "yes"}));
  EXPECT_EQ(view->prediction_axis(), "probability of yes");
  EXPECT_EQ(view->prediction_range(), std::pair(0.0, 1.0));
  EXPECT_EQ(view->on_prediction_axis(-1.0), 0.0);
  EXPECT_EQ(view->answer_text(-1.0), "no");
  EXPECT_EQ(view->prediction_text(0.25, 0.0), "yes 25 %");
  EXPECT_EQ(view->recent_error_text(0.05, 20), "5 % of the last 20 answers predicted wrongly");
  EXPECT_EQ(view->precision_axis(true), "α");
  EXPECT_EQ(TargetView::of(*Target::classes())->answer_text(1.0), "+1");
}

TEST(TargetView, PutsExpectedAnswersOnTheAxisOfPredictions) {
  const auto numbers = TargetView::of(*Target::real({}, TargetScale::logarithmic));
  EXPECT_DOUBLE_EQ(numbers->expected_on_axis(2.0), std::exp(2.0));
  const auto interval = numbers->interval_on_axis(2.0, 0.5);
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->first, std::exp(2.0 - 1.959964 * 0.5));
  EXPECT_DOUBLE_EQ(interval->second, std::exp(2.0 + 1.959964 * 0.5));
  EXPECT_EQ(numbers->unexpectedness(1.0, 2.0, 0.5), 2.0);
  const auto classes = TargetView::of(*Target::classes());
  EXPECT_EQ(classes->expected_on_axis(0.3), 0.3);
  EXPECT_EQ(classes->interval_on_axis(0.3, 0.0), std::nullopt);
  EXPECT_EQ(classes->unexpectedness(1.0, 0.3, 0.0), 0.7);
  EXPECT_EQ(classes->unexpectedness(-1.0, 0.3, 0.0), 0.3);
}

TEST(TargetView, NamesTheRungsOfALadder) {
  const auto numbers = TargetView::of(*Target::real()), classes = TargetView::of(*Target::classes());
  EXPECT_EQ(numbers->rung_of(4.0), 0.25);
  EXPECT_EQ(numbers->rungs_name(0.0, 0.25), "1/α 0.00 to 0.25");
  EXPECT_EQ(classes->rung_of(0.75), 0.25);
  EXPECT_EQ(classes->rungs_name(0.0, 0.25), "α 0.75 to 1.00");
}

TEST(TargetView, HeadsTheErrorToExpect) {
  const auto torque = TargetView::of(*Target::real({.name = "torque", .unit = "N m"}));
  EXPECT_EQ(torque->typical_error_heading(0.0312), "0.031 N m");
  EXPECT_EQ(torque->typical_error_meaning(0.0312, 0.78, " over the goal"),
            "Predictions over the goal are typically off by this much, 4 % of their range.");
  const auto drag = TargetView::of(*Target::real({}, TargetScale::logarithmic));
  EXPECT_EQ(drag->typical_error_heading(std::log(1.09)), "9 %");
  EXPECT_EQ(drag->typical_error_heading(std::log(2.0)), "a factor of 2");
  EXPECT_EQ(drag->typical_error_meaning(0.1, std::log(300.0), ""),
            "Predictions are typically off by this much; they span a factor of 300.");
  const auto classes = TargetView::of(*Target::classes());
  EXPECT_EQ(classes->typical_error_heading(1.7), "100 %");
  EXPECT_EQ(classes->typical_error_meaning(0.1, std::nullopt, ""),
            "About this share of the predicted classes is wrong.");
}

}  // namespace
}  // namespace acuity::target_view_test
