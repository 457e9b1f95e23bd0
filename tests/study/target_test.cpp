#include "acuity/study/target.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "acuity/base/errors.hpp"
#include "acuity/model/averaged_model.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/model/kernel.hpp"
#include "acuity/model/leave_one_out.hpp"

namespace acuity::target_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Target, ReadsAnswersAsPeopleWriteThem) {
  const auto real = Target::real();
  EXPECT_EQ(real->read("-0.3"), -0.3);
  EXPECT_EQ(real->read("1e3"), 1000.0);
  for (const char* text : {"", "yes", "nan", "inf", "1 2"}) EXPECT_EQ(real->read(text), std::nullopt) << text;

  const auto classes = Target::classes({"no", "yes"});
  for (const char* text : {"yes", "1", "+1", "1.0", "Yes", "YES"})
    EXPECT_EQ(classes->read(text), 1.0) << text;
  for (const char* text : {"no", "-1", "0"}) EXPECT_EQ(classes->read(text), -1.0) << text;
  for (const char* text : {"", "Yess", "2", "0.5"}) EXPECT_EQ(classes->read(text), std::nullopt) << text;
  EXPECT_EQ(Target::classes({"a", "A"})->read("A"), 1.0);
  EXPECT_EQ(Target::classes({"a b", "A B"})->read("A b"), std::nullopt) << "either could be meant";
  EXPECT_EQ(Target::classes({"1", "2"})->read("1"), -1.0) << "names come before numbers";
  EXPECT_EQ(classes->text_requirement(), "\"no\" or \"yes\" (or -1 or 1, or 0 or 1)");
}

TEST(Target, WhatItShowsReadsBack) {
  for (const double value : {-1.0, 1.0})
    for (const auto& target : {Target::real(), Target::classes(), Target::classes({"no", "yes"})})
      EXPECT_EQ(target->read(target->show(value)), value);
  EXPECT_EQ(Target::classes({"no", "yes"})->show(1.0), "yes");
}

TEST(Target, TheCleanAnswerIsTheLatentValueOrItsSign) {
  EXPECT_EQ(Target::real()->clean_answer(-0.3), -0.3);
  EXPECT_EQ(Target::classes()->clean_answer(-0.3), -1.0);
  EXPECT_EQ(Target::classes()->clean_answer(0.0), 1.0);
}

TEST(Target, ChannelsAndPrecisionsAreInRange) {
  const auto real = Target::real(), classes = Target::classes();
  EXPECT_TRUE(real->fits(GaussianChannel{0.1}) && !real->fits(FlipChannel{0.9}));
  EXPECT_TRUE(classes->fits(FlipChannel{0.9}) && !classes->fits(GaussianChannel{0.1}));
  EXPECT_TRUE(real->accepts(real->stated_channel(0.1)) && classes->accepts(classes->stated_channel(0.5)));
  for (const double wrong : {0.0, -1.0, infinity, std::nan("")})
    EXPECT_FALSE(real->accepts(real->stated_channel(wrong))) << wrong;
  for (const double wrong : {0.49, 1.01, std::nan("")})
    EXPECT_FALSE(classes->accepts(classes->stated_channel(wrong))) << wrong;
  EXPECT_TRUE(real->accepts_alpha(1.0) && real->accepts_alpha(infinity) && !real->accepts_alpha(0.5));
  EXPECT_TRUE(classes->accepts_alpha(0.0) && classes->accepts_alpha(1.0) && !classes->accepts_alpha(1.5));
}

TEST(Target, ClassesHaveTwoDifferentNamesOrNone) {
  EXPECT_THROW(Target::classes({"a"}), InputError);
  EXPECT_THROW(Target::classes({"a", "a"}), InputError);
  EXPECT_THROW(Target::classes({"a", "b", "c"}), InputError);
  EXPECT_TRUE(Target::classes()->class_names().empty());
}

TEST(Target, SurpriseIsInStandardDeviationsOrAProbability) {
  const auto real = Target::real(), classes = Target::classes();
  EXPECT_NEAR(*real->surprise({1.0, 3.0}, GaussianChannel{1.0}, 5.0), 2.0, 1e-15);
  EXPECT_EQ(real->surprise({1.0, 0.0}, GaussianChannel{0.0}, 5.0), std::nullopt);
  EXPECT_TRUE(real->is_surprising(-4.1) && !real->is_surprising(3.9));
  EXPECT_NEAR(*classes->surprise({0.0, 1.0}, FlipChannel{0.8}, 1.0), 0.5, 1e-15);
  const double likely = *classes->surprise({2.0, 1.0}, FlipChannel{0.8}, 1.0);
  const double positive = 0.5 * std::erfc(-2.0 / std::sqrt(2.0 * 2.0));
  EXPECT_NEAR(likely, 0.8 * positive + 0.2 * (1.0 - positive), 1e-14);
  EXPECT_NEAR(*classes->surprise({2.0, 1.0}, FlipChannel{0.8}, -1.0), 1.0 - likely, 1e-14);
  EXPECT_TRUE(classes->is_surprising(0.009) && !classes->is_surprising(0.011));
}

// The posterior of each kind, beside the types it is made of.
TEST(Target, PosteriorsMeasureTheirErrors) {
  Prior prior;
  prior.kernel = std::make_shared<StationaryKernel>(StationaryKernelOptions{
      .family = KernelFamily::rbf, .amplitude = 1.5, .lengthscale = Vector::Constant(1, 0.7)});
  const Points x = Vector::LinSpaced(6, 0.0, 3.0), at = Vector::LinSpaced(4, 0.2, 2.8);
  Vector values(6), truth(4);
  values << 0.1, 0.9, 1.2, 0.3, -0.6, -1.0;
  truth << 0.4, 1.1, 0.2, -0.9;
  const Observations numbers(x, values, Vector::Constant(6, 0.01));
  const auto real = Target::real()->posterior(prior, numbers);
  const GpPosterior twin(prior, numbers);
  EXPECT_EQ(real->predict(at).mean, twin.predict(at).mean);
  EXPECT_EQ(real->expectation(at), twin.mean(at));
  EXPECT_LT((twin.mean(at) - twin.predict(at).mean).cwiseAbs().maxCoeff(), 1e-14);  // without the variances
  EXPECT_NEAR(real->error_at(at, truth).actual,
              std::sqrt((truth - twin.predict(at).mean).squaredNorm() / 4.0), 1e-15);
  EXPECT_NEAR(real->error_at(at, truth).predicted, std::sqrt(twin.predict(at).variance.mean()), 1e-15);
  const LeaveOneOut left_out = leave_one_out(prior, numbers);
  EXPECT_NEAR(real->leave_one_out_error().actual, std::sqrt((values - left_out.mean).squaredNorm() / 6.0),
              1e-15);
  EXPECT_EQ(real->convergence_problem(), "");

  std::vector<Observation> labelled;
  for (Index i = 0; i < 6; ++i)
    labelled.push_back({.place = Place(Vector(x.row(i))),
                        .value = values(i) > 0.0 ? 1.0 : -1.0,
                        .channel = FlipChannel{0.9}});
  const Observations labels(labelled, x);
  const auto classes = Target::classes()->posterior(prior, labels);
  const EpPosterior ep(prior, labels);
  const Vector sign = truth.unaryExpr([](double value) { return value > 0.0 ? 1.0 : -1.0; });
  const Vector probability = classes->expectation(at);
  double wrong = 0.0, expected = 0.0;
  for (Index i = 0; i < 4; ++i) {
    const Marginals f = ep.predict(at.row(i));
    EXPECT_NEAR(probability(i), 0.5 * std::erfc(-f.mean(0) / std::sqrt(2.0 * (1.0 + f.variance(0)))), 1e-12);
    wrong += (probability(i) > 0.5) == (sign(i) > 0.0) ? 0.0 : 0.25;
    expected += 0.25 * std::min(probability(i), 1.0 - probability(i));
  }
  EXPECT_NEAR(classes->error_at(at, sign).actual, wrong, 1e-15);
  EXPECT_NEAR(classes->error_at(at, sign).predicted, expected, 1e-15);
  EXPECT_EQ(classes->leave_one_out().mean, leave_one_out_probabilities(ep, labels));
  EXPECT_THROW(classes->covariance(at), std::logic_error);
}

TEST(Target, SaysWhatElseIsWrongWithATextThatIsNoAnswer) {
  const auto real = Target::real();
  EXPECT_EQ(real->remark_on("5,25"), "it has a decimal comma, write 5.25");
  for (const char* text : {"<5", ">0.1"})
    EXPECT_TRUE(real->remark_on(text).starts_with("a limit is no value")) << text;
  for (const char* text : {"", "yes", "1,2,3", "a,b"}) EXPECT_EQ(real->remark_on(text), "") << text;
  for (const char* text : {"5,25", "<5"}) EXPECT_EQ(Target::classes()->remark_on(text), "") << text;
}

AveragedMarginals two_predictions(double probability) {
  AveragedMarginals f;
  f.mean = Vector{{1.0, 3.0}};
  f.variance = Vector{{0.25, -1e-18}};
  f.probability = Vector{{probability, 1.0 - probability}};
  return f;
}

TEST(Target, ExpectsOfAveragedPredictionsWhatPeopleLookAt) {
  const AveragedMarginals f = two_predictions(0.9);
  const Marginals of_numbers = Target::real()->expectation(f), of_classes = Target::classes()->expectation(f);
  EXPECT_EQ(of_numbers.mean, f.mean);
  EXPECT_EQ(of_numbers.variance, Vector({{0.25, 0.0}}));
  EXPECT_EQ(of_classes.mean, f.probability);
  EXPECT_EQ(of_classes.variance, Vector({{0.0, 0.0}}));
}

TEST(Target, ExpectsAnErrorOfAveragedPredictions) {
  const AveragedMarginals f = two_predictions(0.9);
  const Vector weights{{0.5, 0.5}};
  const ExpectedError of_numbers = Target::real()->expected_error(f, weights);
  EXPECT_NEAR(of_numbers.size, std::sqrt(0.125), 1e-15);
  EXPECT_EQ(of_numbers.range, 2.0);
  const ExpectedError of_classes = Target::classes()->expected_error(f, weights);
  EXPECT_NEAR(of_classes.size, 0.1, 1e-15);
  EXPECT_EQ(of_classes.range, std::nullopt);
  // Counts: in their unit, by the slope of the scale at each prediction.
  const ExpectedError of_rates = Target::real({}, TargetScale::rate)->expected_error(f, weights);
  EXPECT_NEAR(of_rates.size, std::sqrt(0.5 * 4.0 * 0.25), 1e-15);
  EXPECT_EQ(of_rates.range, 9.0 - 1.0);
}

TEST(Target, SaysWhatAStudyOfItsKindCanHave) {
  const TargetDefaults &real = Target::real()->defaults(), &classes = Target::classes()->defaults();
  EXPECT_TRUE(real.has_structures && real.has_biases && !real.has_approximation);
  EXPECT_TRUE(!classes.has_structures && !classes.has_biases && classes.has_approximation);
}

}  // namespace
}  // namespace acuity::target_test
