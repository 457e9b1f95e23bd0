#include "study/target_view.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace acuity::target_view_test
