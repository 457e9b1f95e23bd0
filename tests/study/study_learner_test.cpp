#include "acuity/study/study_learner.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::study_learner_test {
namespace {

using testing::Folder;
using testing::ladder_study;
using testing::with;

struct Desk {
  Folder folder;

  Study open(const std::string& study, const std::string& pool) const {
    folder.write("pool.csv", pool);
    return Study::open(folder.write("study.toml", testing::with_given_model(study)));
  }
};

TEST(StudyLearner, PriorFollowsTheAnnotationsWhereToldTo) {
  const Desk desk;
  const std::string study = with(ladder_study(), "file", "\"pool.csv\"\nstandardise = \"annotations\"") +
                            "[model]\nmean = \"annotations\"\n";
  const Study opened = desk.open(study, "x\n0\n2\n9\n");
  EXPECT_EQ(StudyLearner(opened).prior_given({}).mean, 0.0);
  EXPECT_TRUE(StudyLearner(opened).prior_given({}).scaling.is_identity());
  const std::vector<Annotation> known{{.place = 0, .value = 1.0, .channel = GaussianChannel{0.1}},
                                      {.place = 1, .value = 4.0, .channel = GaussianChannel{9.0}}};
  const Prior prior = StudyLearner(opened).prior_given(known);
  EXPECT_EQ(prior.mean, 2.5) << "a plain average, whatever the precision";
  EXPECT_EQ(prior.scaling.apply(opened.pool().points())(2, 0), 8.0);
}

std::vector<Annotation> waves(const Study& study, int count) {
  std::vector<Annotation> annotations;
  for (int i = 0; i < count; ++i) {
    const double x = study.pool().points()(i, 0);
    annotations.push_back({.place = i,
                           .value = 3.0 * std::sin(2.0 * x) + 0.1 * std::cos(40.0 * x),
                           .channel = GaussianChannel{0.02},
                           .level = 0,
                           .cost = 0.1,
                           .base_noise = 0.01,
                           .added_noise = 0.01});
  }
  return annotations;
}

std::string line_of_points(int count) {
  std::string pool = "x\n";
  for (int i = 0; i < count; ++i) pool += std::to_string(0.1 * ((7 * i) % count)) + "\n";
  return pool;
}

TEST(StudyLearner, LearnsWhenItsScheduleSays) {
  const Desk desk;
  const std::string base = with(ladder_study(), "variance", "0.01");
  const Study never = desk.open(base, line_of_points(40));
  const Study tenth = desk.open(base + "[model]\nfit = 10\n", line_of_points(40));
  const auto annotations = waves(never, 25);
  EXPECT_FALSE(StudyLearner(never).model_given(annotations).learned);
  EXPECT_FALSE(StudyLearner(tenth).model_given(waves(never, 9)).learned) << "nine are not ten";
  const StudyModel model = StudyLearner(tenth).model_given(annotations);
  ASSERT_TRUE(model.learned);
  EXPECT_EQ(model.prior.kernel->log_parameters(),
            StudyLearner(tenth).learn_from(waves(never, 20)).prior.kernel->log_parameters())
      << "the 21st to 25th come in without learning";
  EXPECT_GT(model.prior.kernel->log_parameters()(0), 0.5) << "the amplitude is about 2, not 1";
}

TEST(StudyLearner, FitSoonAfterAnotherClimbsFromItsValuesAlone) {
  const Desk desk;
  const std::string base = with(ladder_study(), "variance", "0.01");
  const Study study = desk.open(base + "[model]\nfit = \"every\"\nprior = \"weak\"\n", line_of_points(40));
  const Learned before = StudyLearner(study).learn_from(waves(study, 29));
  const auto annotations = waves(study, 30);
  const Learned soon = StudyLearner(study).learn_from(annotations, {}, 0, &before, 29),
                searched = StudyLearner(study).learn_from(annotations, {}, 0, &before);
  EXPECT_LT(soon.evaluations, searched.evaluations);
  EXPECT_NEAR(soon.log_marginal_likelihood, searched.log_marginal_likelihood, 1e-3);
  const Learned due = StudyLearner(study).learn_from(annotations, {}, 0, &before, 25);
  EXPECT_EQ(due.evaluations, searched.evaluations) << "29 is when a search was due";
}

TEST(StudyLearner, LearnedNoiseReachesOfferAndObservations) {
  const Desk desk;
  const std::string base = with(ladder_study(), "variance", "0.01");
  const Study study = desk.open(base + "[model]\nfit = \"every\"\nfit_noise = true\n", line_of_points(40));
  const StudyModel model = StudyLearner(study).model_given(waves(study, 30));
  ASSERT_TRUE(model.learned);
  const double base_scale = model.learned->base_scale, added_scale = model.learned->added_scale;
  EXPECT_NE(base_scale, 1.0);
  EXPECT_NEAR(model.offer.base_noise(0), 0.01 * base_scale, 1e-15);
  EXPECT_NEAR(noise_variance(model.offer.levels[0].channel), 0.09 * added_scale, 1e-15);
  EXPECT_NEAR(noise_variance(model.observations[0].channel), 0.01 * base_scale + 0.01 * added_scale, 1e-15);
}

TEST(StudyLearner, LearnedAccuracyReachesOfferAndObservations) {
  const Desk desk;
  const Study study = desk.open(
      "[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n[model]\nfit = \"every\"\nfit_noise = true\n"
      "[precision]\nalpha = [0, 1]\nkappa = 0.9\ngamma = 0.1\ncost = 1\n",
      line_of_points(40));
  std::vector<Annotation> annotations;
  for (Index i = 0; i < 40; ++i) {
    const double alpha = i % 2 == 0 ? 1.0 : 0.0, clean = (7 * i % 40 / 10) % 2 == 0 ? 1.0 : -1.0;
    annotations.push_back({.place = Place(i),
                           .value = i % 6 == 1 ? -clean : clean,
                           .channel = FlipChannel{0.9 + 0.1 * alpha},
                           .level = i % 2 == 0 ? 1 : 0,
                           .alpha = alpha});
  }
  annotations[3].alpha.reset();
  annotations[3].channel = FlipChannel{0.93};
  const StudyModel model = StudyLearner(study).model_given(annotations);
  ASSERT_TRUE(model.learned && model.learned->accuracy) << "learned";
  const AccuracyLaw law = *model.learned->accuracy;
  EXPECT_GT(std::abs(law.kappa - 0.9), 0.01) << "not what the study says";
  const auto accuracy = [](const Channel& channel) { return std::get<FlipChannel>(channel).accuracy(); };
  EXPECT_EQ(accuracy(model.offer.levels[0].channel), law.kappa);
  EXPECT_EQ(accuracy(model.offer.levels[1].channel), law(1.0));
  EXPECT_EQ(accuracy(model.observations[0].channel), law(1.0));
  EXPECT_EQ(accuracy(model.observations[1].channel), law.kappa);
  EXPECT_EQ(accuracy(model.observations[3].channel), 0.93) << "as reported";
}

}  // namespace
}  // namespace acuity::study_learner_test
