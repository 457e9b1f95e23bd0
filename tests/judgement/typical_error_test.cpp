#include "judgement/typical_error.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/random.hpp"
#include "support/memory_campaigns.hpp"

namespace acuity::typical_error_test {
namespace {

using testing::MemoryCampaign;

double noise(std::int64_t id) {
  return numerics::Draws(13, numerics::Purpose::resampling, static_cast<std::uint64_t>(id)).normal();
}

std::string study(const std::string& target, const std::string& level, const std::string& rest = "") {
  return fmt::format(
      "[campaign]\nbudget = 200\nunit = \"h\"\n[pool]\nfile = \"pool.csv\"\nrepeat = true\n{}\n"
      "[[level]]\nname = \"run\"\n{}\ncost = 1\n{}",
      target, level, rest);
}

double truth(double x) {
  return 3.0 * std::sin(x);
}

// The answers are far noisier than the model is uncertain: the headline must be about the model.
TEST(TypicalError, IsTheErrorOfTheModelAndNotOfItsAnswers) {
  MemoryCampaign campaign(study("[target]\nname = \"torque\"\nunit = \"N m\"", "noise_sd = 1.0"),
                          testing::pool_on_a_line(60, 6.0));
  campaign.go(120, [](const Suggestion& asked) { return truth(asked.inputs[0]) + noise(asked.id); });
  const CampaignModel model(campaign->study(), campaign->state());
  const auto error = typical_error(campaign->study(), model);
  ASSERT_TRUE(error);
  const Points& pool = campaign->study().pool().points();
  const Marginals f = model.posterior().predict(pool);
  EXPECT_NEAR(error->size, std::sqrt(f.variance.mean()), 1e-12);
  EXPECT_NEAR(error->range.value(), f.mean.maxCoeff() - f.mean.minCoeff(), 1e-12);
  EXPECT_LT(error->size, 0.6 * model.posterior().leave_one_out_error().actual);
  double squares = 0.0;
  for (Index i = 0; i < pool.rows(); ++i) squares += std::pow(f.mean(i) - truth(pool(i, 0)), 2);
  const double actual = std::sqrt(squares / static_cast<double>(pool.rows()));
  EXPECT_LT(actual, 2.0 * error->size);
  EXPECT_GT(actual, 0.5 * error->size);
}

TEST(TypicalError, IsMultipliedByTheFactorOfAVerdict) {
  MemoryCampaign campaign(study("", "noise_sd = 0.1"), testing::pool_on_a_line(60, 6.0));
  campaign.go(20, [](const Suggestion& asked) { return truth(asked.inputs[0]); });
  const CampaignModel model(campaign->study(), campaign->state());
  const auto claimed = typical_error(campaign->study(), model),
             real = typical_error(campaign->study(), model, 2.0);
  EXPECT_EQ(real->expected(), 2.0 * claimed->expected());
  EXPECT_EQ(real->size, claimed->size);

  CalibrationVerdict verdict{.calibration = CalibrationVerdict::Calibration::too_narrow, .factor = 1.7};
  EXPECT_EQ(error_factor(verdict), 1.7);
  verdict.calibration = CalibrationVerdict::Calibration::cannot_tell;
  EXPECT_EQ(error_factor(verdict), 1.0);
  verdict.calibration = CalibrationVerdict::Calibration::too_narrow;
  verdict.is_of_classes = true;
  EXPECT_EQ(error_factor(verdict), 1.0);
}

TEST(TypicalError, IsOverTheGoalIfThereIsOne) {
  MemoryCampaign campaign(study("", "noise_sd = 0.1", "[goal]\nbox = { x = [4, 6] }\n"),
                          testing::pool_on_a_line(60, 6.0));
  campaign.go(12, [](const Suggestion& asked) { return truth(asked.inputs[0]); });
  const CampaignModel model(campaign->study(), campaign->state());
  const auto error = typical_error(campaign->study(), model);
  ASSERT_TRUE(error && error->at_goal);
  const Goal& goal = *campaign->study().goal();
  EXPECT_NEAR(error->size, std::sqrt(goal.weights.dot(model.posterior().predict(goal.points).variance)),
              1e-12);
  EXPECT_NE(to_text(*error, *campaign->study().file().target).find(" over the goal, "), std::string::npos);
}

TEST(TypicalError, IsTheExpectedShareOfWrongClasses) {
  MemoryCampaign campaign(
      study("[target]\nkind = \"binary\"", "accuracy = 0.7", "[model]\namplitude = 3.0\n"),
      testing::pool_on_a_line(40, 6.0));
  campaign.go(150, [](const Suggestion& asked) {
    const double clean = truth(asked.inputs[0]) > 0.0 ? 1.0 : -1.0;
    return noise(asked.id) > -0.52 ? clean : -clean;  // right with a probability of 0.7
  });
  const CampaignModel model(campaign->study(), campaign->state());
  const auto error = typical_error(campaign->study(), model);
  ASSERT_TRUE(error);
  const Vector p = model.posterior().expectation(campaign->study().pool().points());
  EXPECT_NEAR(error->size, p.cwiseMin((1.0 - p.array()).matrix()).mean(), 1e-12);
  // The noise of the labels alone is 30 %.
  EXPECT_LT(error->size, 0.6 * model.posterior().leave_one_out_error().actual);
}

TEST(TypicalError, CannotBeToldFromFourAnswers) {
  MemoryCampaign campaign(study("", "noise_sd = 0.1"), testing::pool_on_a_line(60, 6.0));
  campaign.go(4, [](const Suggestion& asked) { return truth(asked.inputs[0]); });
  EXPECT_FALSE(typical_error(campaign->study(), CampaignModel(campaign->study(), campaign->state())));
}

TEST(TypicalError, IsOneShortSentence) {
  const TypicalError error{.size = 0.0312, .range = 0.78};
  EXPECT_EQ(to_text(error, *Target::real({.name = "torque", .unit = "N m"})),
            "typically off by 0.031 N m, 4 % of its range");
  EXPECT_EQ(to_text({.size = 0.031, .range = 0.0, .factor = 2.0}, *Target::real()), "typically off by 0.062");
  EXPECT_EQ(to_text({.size = 0.1133, .range = 6.0}, *Target::real({}, TargetScale::logarithmic)),
            "typically off by a factor of 1.12, predictions span a factor of 400");
  EXPECT_EQ(to_text({.size = 0.065}, *Target::classes()), "about 6.5 % of the predicted classes are wrong");
  EXPECT_EQ(to_text({.size = 1e-7, .range = 3.0}, *Target::real()),
            "typically off by 1e-07, 3.3e-06 % of its range");
}

// Hyperparameters that are not certain are part of the error, as `predict` has it.
TEST(TypicalError, IsThatOfAveragedPredictions) {
  for (const bool classes : {false, true}) {
    MemoryCampaign campaign(
        classes ? study("[target]\nkind = \"binary\"", "accuracy = 0.9") : study("", "noise_sd = 0.1"),
        testing::pool_on_a_line(60, 6.0));
    campaign.go(14, [&](const Suggestion& asked) {
      const double f = truth(asked.inputs[0]);
      return classes ? (f > 0.0 ? 1.0 : -1.0) : f + 0.1 * noise(asked.id);
    });
    const AveragedModel averaged =
        StudyLearner(campaign->study()).averaged(campaign->model(), campaign->annotations());
    const AveragedMarginals f = averaged.predict(campaign->study().pool().points()).marginals;
    const auto error = typical_error(*campaign, 2.0);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->factor, 2.0);
    EXPECT_NEAR(error->size,
                classes ? f.probability.cwiseMin((1.0 - f.probability.array()).matrix()).mean()
                        : std::sqrt(f.variance.mean()),
                1e-9);
    const auto point = typical_error(campaign->study(), CampaignModel(campaign->study(), campaign->state()));
    ASSERT_TRUE(point);
    if (averaged.draws().size() > 1) {
      EXPECT_NE(error->size, point->size);
    }
  }
}

}  // namespace
}  // namespace acuity::typical_error_test
