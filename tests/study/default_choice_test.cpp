// What choices are for if a study does not say so (docs/math.md 13.4).
#include <gtest/gtest.h>

#include <cmath>

#include "acuity/study/study_learner.hpp"
#include "numerics/random.hpp"

namespace acuity::default_choice_test {
namespace {

using Kind = AcquisitionSetting::Kind;

const std::string levels =
    "[[level]]\nname = \"coarse\"\nnoise_sd = 0.05\ncost = 1\n"
    "[[level]]\nname = \"fine\"\nnoise_sd = 0.001\ncost = 4\n";
const std::string budget = "[campaign]\nbudget = 90\n";

AcquisitionSetting setting(const std::string& more) {
  return read_study_text(budget + levels + more).acquisition;
}

TEST(DefaultChoice, IsForThePoolWhereHyperparametersAreLearned) {
  const AcquisitionSetting found = setting("");
  EXPECT_EQ(found.kind, Kind::goal);
  EXPECT_EQ(found.criterion, GoalCriterion::variance);
  EXPECT_TRUE(found.plan);
  EXPECT_TRUE(found.adapts_criterion);
  EXPECT_TRUE(found.adapts_plan);
  EXPECT_TRUE(setting("[acquisition]\ninformation = \"goal\"\n").adapts_criterion);
  EXPECT_TRUE(setting("[goal]\npoints = 20\n").adapts_criterion);
  EXPECT_TRUE(setting("[model]\nfit = 10\n").adapts_criterion);
}

TEST(DefaultChoice, IsAsItWasWhereNothingIsLearnedOrKeysSayOtherwise) {
  for (const char* fixed :
       {"[model]\nfit = \"never\"\namplitude = 1\nlengthscale = 1\n", "[model]\noptimiser = \"adam\"\n",
        "[acquisition]\ninformation = \"model\"\n", "[stop]\ninformation_per_cost = 0.1\n"}) {
    const AcquisitionSetting found = setting(fixed);
    EXPECT_EQ(found.kind, Kind::model) << fixed;
    EXPECT_FALSE(found.adapts_criterion || found.adapts_plan) << fixed;
  }
  const AcquisitionSetting classes =
      read_study_text(
          "[campaign]\nbudget = 9\n[target]\nkind = \"binary\"\n[[level]]\nname "
          "= \"a\"\naccuracy = 0.9\ncost = 1\n")
          .acquisition;
  EXPECT_EQ(classes.kind, Kind::model);
  EXPECT_FALSE(classes.adapts_criterion || classes.adapts_plan || classes.plan);
  const AcquisitionSetting biased =
      read_study_text(budget + levels +
                      "[[level]]\nname = \"mesh\"\nnoise_sd = 0.1\ncost = 1\nrepeat = \"same\"\n")
          .acquisition;
  EXPECT_EQ(biased.kind, Kind::goal);
  EXPECT_FALSE(biased.adapts_criterion || biased.adapts_plan);
  EXPECT_TRUE(biased.plan);
}

TEST(DefaultChoice, EitherKeyFixesItsPart) {
  const AcquisitionSetting by_criterion = setting("[goal]\ncriterion = \"prediction\"\n");
  EXPECT_EQ(by_criterion.criterion, GoalCriterion::prediction);
  EXPECT_TRUE(by_criterion.plan);
  EXPECT_FALSE(by_criterion.adapts_criterion || by_criterion.adapts_plan);
  const AcquisitionSetting unplanned = setting("[acquisition]\nplan = \"none\"\n");
  EXPECT_TRUE(unplanned.adapts_criterion);
  EXPECT_FALSE(unplanned.plan || unplanned.adapts_plan);
  const AcquisitionSetting planned = setting("[acquisition]\nplan = \"budget\"\n");
  EXPECT_TRUE(planned.adapts_criterion && planned.plan);
  EXPECT_FALSE(planned.adapts_plan);
  const AcquisitionSetting weighted = setting("[acquisition]\nplan = 0.3\n");
  EXPECT_EQ(weighted.price_weight, 0.3);
  EXPECT_FALSE(weighted.plan || weighted.adapts_plan);
}

Points line(Index points) {
  Points x(points, 1);
  for (Index i = 0; i < points; ++i) x(i, 0) = static_cast<double>(i) / static_cast<double>(points);
  return x;
}

Study study(const std::string& more = "", Index points = 100, std::shared_ptr<const Goal> goal = nullptr) {
  return Study::make(read_study_text(budget + levels + more), Pool(line(points), {"x"}), {}, std::move(goal));
}

TEST(DefaultChoice, IsInformationAboutFInAVeryLargePool) {
  const Study large = study("", 100'001);
  EXPECT_EQ(large.file().acquisition.kind, Kind::model);
  EXPECT_FALSE(large.file().acquisition.adapts_criterion || large.file().acquisition.adapts_plan);
  EXPECT_EQ(large.goal(), nullptr);
  EXPECT_EQ(study("", 100'000).file().acquisition.kind, Kind::goal);
  const Study meant = study("[acquisition]\ninformation = \"goal\"\n", 100'001);
  EXPECT_EQ(meant.file().acquisition.kind, Kind::goal);
  EXPECT_NE(meant.goal(), nullptr);
  const Study given = study("", 100'001, std::make_shared<const Goal>(Goal{line(3), {}, {}}));
  EXPECT_EQ(given.goal()->size(), 3);
}

TEST(DefaultChoice, IsPlannedWhereTheBudgetBuysTheWholePool) {
  EXPECT_TRUE(study("", 91).file().acquisition.adapts_plan);
  EXPECT_FALSE(study("", 90).file().acquisition.adapts_plan);
  EXPECT_TRUE(study("", 90).file().acquisition.adapts_criterion);
  const std::string again = "[pool]\nrepeat = true\n";
  EXPECT_TRUE(study(again, 90).file().acquisition.adapts_plan) << "a point may be asked again";
}

// The noise of answers at points that are not of the pool is not known then.
TEST(DefaultChoice, StaysWithTheVarianceWhereTheNoiseAtTheGoalIsNotKnown) {
  const StudyFile file = read_study_text(budget + levels + "[noise]\nvariance = { column = \"s2\" }\n");
  const Vector noise = Vector::Constant(100, 0.01);
  const auto goal = std::make_shared<const Goal>(Goal{line(3), {}, {}});
  EXPECT_FALSE(Study::make(file, Pool(line(100), {"x"}), noise, goal).file().acquisition.adapts_criterion);
  EXPECT_TRUE(Study::make(file, Pool(line(100), {"x"}), noise).file().acquisition.adapts_criterion);
}

TEST(DefaultChoice, OfAVariantIsThatOfItsInformation) {
  const Study by_model = study().variant({.information = Kind::model});
  EXPECT_FALSE(by_model.file().acquisition.adapts_criterion || by_model.file().acquisition.adapts_plan);
  EXPECT_TRUE(by_model.file().acquisition.plan);
  EXPECT_EQ(by_model.goal(), nullptr);
  const Study unplanned = study().variant({.without_plan = true});
  EXPECT_TRUE(unplanned.file().acquisition.adapts_criterion);
  EXPECT_FALSE(unplanned.file().acquisition.plan);
}

std::vector<Annotation> answers(const Study& study, Index count, double noise_sd) {
  numerics::Draws draws(38, numerics::Purpose::data, 1);
  std::vector<Annotation> all;
  for (Index k = 0; k < count; ++k) {
    const Index row = 7 * k % study.pool().size();
    const double x = study.pool().points()(row, 0);
    all.push_back({.place = row,
                   .value = std::sin(6.0 * x) + noise_sd * draws.normal(),
                   .channel = GaussianChannel{1e-6},
                   .level = 1,
                   .cost = 4.0,
                   .added_noise = 1e-6});
  }
  return all;
}

TEST(DefaultChoice, IsPredictionWithoutAPlanWhereAnswersAreNoisy) {
  const Study plain = study();
  const StudyLearner learner(plain);
  const StudyModel before = learner.model_given({});
  EXPECT_EQ(learner.criterion(before), GoalCriterion::variance);
  EXPECT_TRUE(learner.plans(before));
  const StudyModel exact = learner.model_given(answers(plain, 40, 1e-4));
  ASSERT_TRUE(exact.learned && exact.learned->noisier);
  EXPECT_FALSE(exact.learned->noisy);
  EXPECT_EQ(learner.criterion(exact), GoalCriterion::variance);
  EXPECT_TRUE(learner.plans(exact));
  EXPECT_EQ(exact.acquisition.information->unit(), "variance");
  const StudyModel noisy = learner.model_given(answers(plain, 40, 0.3));
  ASSERT_TRUE(noisy.learned && noisy.learned->noisier);
  EXPECT_TRUE(noisy.learned->noisy);
  EXPECT_EQ(learner.criterion(noisy), GoalCriterion::prediction);
  EXPECT_FALSE(learner.plans(noisy));
  EXPECT_EQ(noisy.acquisition.information->unit(), "nats");
  const Study planned = study("[acquisition]\nplan = \"budget\"\n");
  EXPECT_TRUE(StudyLearner(planned).plans(noisy));
  EXPECT_EQ(StudyLearner(planned).criterion(noisy), GoalCriterion::prediction);
}

// With a nugget between both thresholds everything stays as it was.
TEST(DefaultChoice, ChangesAtOneThresholdAndBackAtHalfOfIt) {
  const Study plain = study();
  const StudyLearner learner(plain);
  for (const auto& [noise_sd, from_exact, from_noisy] :
       {std::tuple(0.03, false, false), std::tuple(0.07, false, true), std::tuple(0.14, true, true)}) {
    const std::vector<Annotation> all = answers(plain, 90, noise_sd);
    Learned before = learner.learn_from(all);
    before.noisy = false;
    const Learned after_exact = learner.learn_from(all, {}, 1, &before, 89);
    before.noisy = true;
    const Learned after_noisy = learner.learn_from(all, {}, 1, &before, 89);
    const double share = noise_share(after_noisy);
    if (!from_exact) {
      ASSERT_LT(after_noisy.noisier->probability, 0.07) << noise_sd;
    }
    EXPECT_EQ(share > 0.014, from_exact) << share;
    EXPECT_EQ(share > 0.007, from_noisy) << share;
    EXPECT_EQ(after_exact.noisy, from_exact) << share;
    EXPECT_EQ(after_noisy.noisy, from_noisy) << share;
  }
}

// Not knowing is no reason to give up the plan, which counts the noisier explanation with its probability.
TEST(DefaultChoice, FewAnswersThatNoiseMayExplainAreNotNoisyForThat) {
  const Study plain = study();
  const StudyLearner learner(plain);
  const Learned four = learner.learn_from(answers(plain, 4, 1e-4)),
                ten = learner.learn_from(answers(plain, 10, 1e-4));
  ASSERT_TRUE(four.noisier && ten.noisier);
  EXPECT_LT(noise_share(four), 0.014);
  EXPECT_GT(four.noisier->probability, 0.15);
  EXPECT_FALSE(four.noisy);
  EXPECT_LT(ten.noisier->probability, 0.01);
  EXPECT_FALSE(ten.noisy);
}

TEST(DefaultChoice, ValuesThatAreAllTheSameHaveNoNoise) {
  const Study given = study("[noise]\nnugget = 0.01\n[model]\nprior = \"none\"\nmean = 1\n");
  std::vector<Annotation> same = answers(given, 8, 0.0);
  for (Annotation& one : same) one.value = 1.0;
  const Learned learned = StudyLearner(given).learn_from(same);
  EXPECT_FALSE(learned.noisier);
  EXPECT_FALSE(learned.noisy);
}

}  // namespace
}  // namespace acuity::default_choice_test
