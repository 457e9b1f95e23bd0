#include <gtest/gtest.h>

#include <functional>

#include "acuity/base/errors.hpp"
#include "acuity/selection/selector.hpp"
#include "acuity/study/study_learner.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::study_from_values_test {
namespace {

using testing::Folder;
using testing::ladder_study;
using testing::price_list_study;
using testing::with_given_model;

// The text of a study without the name of its pool file.
std::string without_pool_file(std::string study) {
  const std::string line = "file = \"pool.csv\"\n";
  study.erase(study.find(line), line.size());
  return study;
}

StudyFile settings_of(const std::string& study) {
  return read_study_text(without_pool_file(with_given_model(study)));
}

Points column(std::initializer_list<double> values) {
  Points points(static_cast<Index>(values.size()), 1);
  Index row = 0;
  for (const double value : values) points(row++, 0) = value;
  return points;
}

// Two levels, every setting as the struct has it.
StudyFile assembled() {
  StudyFile settings;
  settings.amplitude = 1.0;
  settings.lengthscale = {1.0};
  settings.mean = 0.0;
  settings.price_list = {{.name = "coarse", .channel = GaussianChannel{0.25}, .cost = 1.0, .value = {}},
                         {.name = "fine", .channel = GaussianChannel{0.01}, .cost = 10.0, .value = {}}};
  return settings;
}

std::string complaint_about(const std::function<void()>& make) {
  try {
    make();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string complaint(const StudyFile& settings, Points points = column({0.0, 1.0}), Vector noise = {}) {
  return complaint_about([&] { Study::make(settings, Pool(std::move(points), {"x"}), std::move(noise)); });
}

TEST(StudyFromValues, IsTheStudyOfTheSameFiles) {
  const Folder folder;
  folder.write("pool.csv", "x\n0\n0.5\n5\n7\n");
  for (const std::string& text : {ladder_study(), price_list_study()}) {
    const Study opened = Study::open(folder.write("study.toml", with_given_model(text)));
    const Study made = Study::make(settings_of(text), Pool(column({0.0, 0.5, 5.0, 7.0}), {"x"}));
    EXPECT_EQ(made.offer().base_noise, opened.offer().base_noise);
    ASSERT_EQ(made.offer().levels.size(), opened.offer().levels.size());
    const auto first_choice = [](const Study& study) {
      const StudyModel model = StudyLearner(study).model_given(std::vector<Annotation>());
      const auto belief = StudyLearner(study).belief(model);
      Selector selector(model.offer, model.acquisition);
      return *selector.choose(*belief, study.candidates_after({}));
    };
    const auto ours = first_choice(made), theirs = first_choice(opened);
    EXPECT_EQ(ours.point, theirs.point);
    EXPECT_EQ(ours.level, theirs.level);
    EXPECT_EQ(ours.information, theirs.information);
  }
}

TEST(StudyFromValues, SettingsMayBeAssembledInCode) {
  const Study study = Study::make(assembled(), Pool(column({0.0, 1.0, 2.0}), {"x"}, {"a", "b", "c"}));
  EXPECT_EQ(study.offer().levels[1].name, "fine");
  EXPECT_EQ(study.pool().find("c"), 2);
  const StudyModel model = StudyLearner(study).model_given(std::vector<Annotation>());
  EXPECT_EQ(StudyLearner(study).belief(model)->marginals().variance(0), 1.0);
}

TEST(StudyFromValues, NoiseMayBeGivenForEveryPoint) {
  StudyFile settings = assembled();
  settings.noise = NoiseColumn{"s2"};
  Vector noise(2);
  noise << 0.5, 0.25;
  const Study study = Study::make(settings, Pool(column({1.0, 2.0}), {"x"}), noise);
  EXPECT_EQ(study.offer().base_noise(1), 0.25);
  EXPECT_EQ(complaint(settings), "noise.variance is a column, so there must be a variance for every point");
  noise(1) = -1.0;
  EXPECT_EQ(complaint(settings, column({1.0, 2.0}), noise),
            "pool row 1: the noise variance is -1, must be a finite number, 0 or more");
  EXPECT_EQ(complaint(settings, column({1.0}), noise),
            "there are 2 noise variances and 1 points, must be as many of each");
  EXPECT_EQ(complaint(assembled(), column({1.0, 2.0}), noise),
            "there are variances for the points, so noise.variance must be a column");
  settings.noise = "1 / x";
  EXPECT_EQ(complaint(settings),
            "pool row 0: noise.variance \"1 / x\" is inf at this point, must be a finite number, 0 or more");
}

TEST(StudyFromValues, ComplaintsNameTheKeyAndNoFile) {
  EXPECT_EQ(complaint_about([] { read_study_text("[campaign]\nbudget = -1\n"); }),
            "campaign.budget is -1, must be a number, 0 or more (inf is one)");
  EXPECT_TRUE(complaint_about([] { read_study_text("\n[campaign\n"); }).starts_with("line 2: "));
  EXPECT_EQ(complaint_about([] { Study::open(settings_of(price_list_study())); }),
            "pool.file is missing, must be the name of a table");
  EXPECT_EQ(complaint(read_study_text(with_given_model(price_list_study()))),
            "pool.file and a pool are both given, pool.file must be left out");
}

// One fault each: none may become a study.
TEST(StudyFromValues, SettingsThatNoFileCouldHaveAreRefused) {
  const std::vector<std::pair<std::function<void(StudyFile&)>, std::string>> faults{
      {[](StudyFile& s) { s.price_list.clear(); },
       "there are neither a ladder nor a price list, must be one of them"},
      {[](StudyFile& s) { s.price_list[1].name = "coarse"; },
       "level \"coarse\" is given twice, must be unique"},
      {[](StudyFile& s) { s.price_list[0].name = ""; }, "a level has no name, must have one"},
      {[](StudyFile& s) { s.price_list[0].cost = 0.0; },
       "the cost of level \"coarse\" is 0, must be a finite number above 0"},
      {[](StudyFile& s) { s.price_list[0].channel = GaussianChannel{-1.0}; },
       "the noise variance of level \"coarse\" is -1, must be 0 or more"},
      {[](StudyFile& s) { s.price_list[0].channel = FlipChannel{0.9}; },
       "level \"coarse\" has no noise variance, must have one for a real target"},
      {[](StudyFile& s) { s.target = nullptr; },
       "target is missing, must be Target::real() or Target::classes()"},
      {[](StudyFile& s) { s.target = Target::classes(); },
       "level \"coarse\" has no accuracy, must have one for a binary target"},
      {[](StudyFile& s) { s.budget = -1.0; }, "campaign.budget is -1, must be from 0 to 1e15"},
      {[](StudyFile& s) { s.amplitude = 1e200; },
       "model.amplitude is 1e+200, must be a number whose square is finite and above 0"},
      {[](StudyFile& s) { s.lengthscale = {0.0}; },
       "model.lengthscale is 0, must be a finite number above 0"},
      {[](StudyFile& s) { s.amplitude.reset(); },
       "model.fit is \"never\" and model.amplitude is to be learned, must be a number"},
      {[](StudyFile& s) { s.nugget = -1.0; }, "noise.nugget is -1, must be a finite number, 0 or more"},
      {[](StudyFile& s) { s.average = 3; }, "model.average is 3, must be 1, or an even number up to 1000"},
      {[](StudyFile& s) { s.inputs = {{"y"}}; },
       "pool.inputs and the names of the pool's columns differ, must be the same"}};
  for (const auto& [spoil, sentence] : faults) {
    StudyFile settings = assembled();
    spoil(settings);
    EXPECT_EQ(complaint(settings), sentence);
  }
  EXPECT_EQ(complaint(assembled(), Points(0, 1)), "the pool has no points, must have at least one");
  EXPECT_EQ(complaint(assembled(), column({1.0, std::numeric_limits<double>::infinity()})),
            "the pool has numbers that are not finite, must have none");
}

}  // namespace
}  // namespace acuity::study_from_values_test
