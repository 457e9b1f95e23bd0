#include "views/averaged_belief.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "campaign/campaign_model.hpp"
#include "judgement/held_out.hpp"
#include "support/box_pool.hpp"
#include "support/memory_campaigns.hpp"
#include "support/program.hpp"
#include "views/campaign_data.hpp"

namespace acuity::averaged_belief_test {
namespace {

using testing::box_pool;
using testing::MemoryCampaign;

const std::string learned =
    "amplitude = \"learn\"\nlengthscale = \"learn\"\nfit = 5\nprior = \"weak\"\naverage = 4\nmean = "
    "\"annotations\"\n";

// As `acuity predict` has it.
AveragedMarginals predicted(const Campaign& campaign, const Points& at) {
  return StudyLearner(campaign.study())
      .averaged(campaign.model(), campaign.annotations())
      .predict(at)
      .marginals;
}

struct RealCampaign : MemoryCampaign {
  explicit RealCampaign(int inputs)
      : MemoryCampaign(testing::two_level_study("budget = 200", learned), box_pool(inputs, 40)) {
    go(16, [](const Suggestion& asked) { return std::sin(5.0 * asked.inputs[0]) + asked.inputs.back(); });
  }
};

TEST(BeliefViews, OfOneInputAgreeWithPredict) {
  RealCampaign campaign(1);
  const CampaignData data = campaign_data(*campaign);
  ASSERT_EQ(data.belief.curves.size(), 1U);
  const BeliefCurve& curve = data.belief.curves.front();
  ASSERT_EQ(curve.x.size(), 161U);
  const Points at = Eigen::Map<const Points>(curve.x.data(), 161, 1);
  const AveragedMarginals f = predicted(*campaign, at);
  for (std::size_t k = 0; k < curve.x.size(); ++k) {
    const auto i = static_cast<Index>(k);
    EXPECT_EQ(curve.middle[k], f.mean(i));
    EXPECT_EQ(curve.low[k], f.low(i));
    EXPECT_EQ(curve.high[k], f.high(i));
  }
  EXPECT_EQ(data.belief.note, "");
}

TEST(BeliefViews, OfTwoInputsAgreeWithPredict) {
  RealCampaign campaign(2);
  const CampaignData data = campaign_data(*campaign);
  ASSERT_TRUE(data.belief.map);
  const BeliefMap& map = *data.belief.map;
  for (const std::size_t row : {0U, 7U, 47U})
    for (const std::size_t column : {0U, 11U, 59U}) {
      const AveragedMarginals f = predicted(*campaign, Points{{map.x[column], map.y[row]}});
      const auto r = static_cast<Index>(row), c = static_cast<Index>(column);
      EXPECT_NEAR(map.middle(r, c), f.mean(0), 1e-12);
      EXPECT_NEAR(map.sd(r, c), std::sqrt(f.variance(0)), 1e-12);
    }
}

TEST(BeliefViews, OfMoreInputsAgreeWithPredict) {
  RealCampaign campaign(3);
  const CampaignData data = campaign_data(*campaign);
  ASSERT_EQ(data.belief.curves.size(), 3U);
  for (const BeliefCurve& curve : data.belief.curves) {
    const auto input = std::find(data.books.inputs.begin(), data.books.inputs.end(), curve.input) -
                       data.books.inputs.begin();
    Points at(1, 3);
    for (Index k = 0; k < 3; ++k) at(0, k) = data.belief.others_at[static_cast<std::size_t>(k)];
    at(0, input) = curve.x[20];
    const AveragedMarginals f = predicted(*campaign, at);
    EXPECT_NEAR(curve.middle[20], f.mean(0), 1e-12);
    EXPECT_NEAR(curve.low[20], f.low(0), 1e-9);
    EXPECT_NEAR(curve.high[20], f.high(0), 1e-9);
  }
}

TEST(BeliefViews, OfALogarithmAreOnTheScaleOfAnswers) {
  MemoryCampaign campaign(
      "[campaign]\nbudget = 100\n[pool]\nfile = \"pool.csv\"\n[target]\nscale = \"log\"\n[model]\n" +
          learned + "[[level]]\nname = \"only\"\nnoise_relative = 0.05\ncost = 1\n",
      box_pool(1, 30));
  campaign.go(12, [](const Suggestion& asked) { return std::exp(3.0 * asked.inputs[0]); });
  const CampaignData data = campaign_data(*campaign);
  const BeliefCurve& curve = data.belief.curves.front();
  const AveragedMarginals f = predicted(*campaign, Points{{curve.x[80]}});
  EXPECT_NEAR(curve.middle[80], std::exp(f.median(0)), 1e-12 * curve.middle[80]);
  EXPECT_NEAR(curve.low[80], std::exp(f.low(0)), 1e-9 * curve.low[80]);
  EXPECT_NEAR(curve.high[80], std::exp(f.high(0)), 1e-9 * curve.high[80]);
}

TEST(BeliefViews, OfClassesAgreeWithPredict) {
  MemoryCampaign campaign(
      "[campaign]\nbudget = 60\n[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n[model]\n"
      "amplitude = \"learn\"\nlengthscale = \"learn\"\nfit = 5\nprior = \"weak\"\naverage = 4\n"
      "[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost = 1\n",
      box_pool(1, 40));
  campaign.go(18, [](const Suggestion& asked) { return asked.inputs[0] > 0.5 ? 1.0 : -1.0; });
  const CampaignData data = campaign_data(*campaign);
  const BeliefCurve& curve = data.belief.curves.front();
  for (const std::size_t k : {10U, 80U, 150U}) {
    const AveragedMarginals f = predicted(*campaign, Points{{curve.x[k]}});
    EXPECT_NEAR(curve.middle[k], f.probability(0), 1e-9);
    EXPECT_NEAR(curve.low[k], 0.5 * std::erfc(-f.low(0) / std::sqrt(2.0)), 1e-9);
    EXPECT_NEAR(curve.high[k], 0.5 * std::erfc(-f.high(0) / std::sqrt(2.0)), 1e-9);
  }
}

// The error on a test table is that of the classes and probabilities that `predict` prints.
TEST(BeliefViews, OfClassesMeasureTheErrorOfWhatPredictSays) {
  MemoryCampaign campaign(
      "[campaign]\nbudget = 60\n[pool]\nfile = \"pool.csv\"\n[target]\nkind = \"binary\"\n[model]\n"
      "amplitude = \"learn\"\nlengthscale = \"learn\"\nfit = 5\nprior = \"weak\"\naverage = 4\n"
      "[[level]]\nname = \"crowd\"\naccuracy = 0.8\ncost = 1\n",
      box_pool(1, 40));
  campaign.go(18, [](const Suggestion& asked) { return asked.inputs[0] > 0.5 ? 1.0 : -1.0; });
  Points at(50, 1);
  std::string table = fmt::format("{},y\n", campaign->study().pool().inputs().front());
  for (Index i = 0; i < 50; ++i) {
    at(i, 0) = (static_cast<double>(i) + 0.5) / 50.0;
    table += fmt::format("{},{}\n", at(i, 0), at(i, 0) > 0.46 ? 1 : -1);
  }
  const testing::Folder folder;
  const HeldOut test = read_held_out(folder.write("test.csv", table), campaign->study());
  const CoursePoint last = campaign_data(*campaign, test).course.errors.back();
  const Vector p = predicted(*campaign, at).probability;
  double wrong = 0.0, expected = 0.0;
  for (Index i = 0; i < 50; ++i) {
    wrong += (p(i) > 0.5) != (at(i, 0) > 0.46) ? 1.0 : 0.0;
    expected += std::min(p(i), 1.0 - p(i));
  }
  EXPECT_NEAR(last.error, wrong / 50.0, 1e-12);
  EXPECT_NEAR(last.expected, expected / 50.0, 1e-9);
  const CampaignModel point(campaign->study(), campaign->state());
  EXPECT_GT(std::abs(point.posterior().error_at(test.points, test.values).predicted - last.expected), 1e-6)
      << "the test tells them apart";
}

TEST(AveragedBelief, UsesThePointEstimateForManyAnswersAndSaysSo) {
  RealCampaign campaign(1);
  const AveragedBelief averaged(*campaign, 1, 16), point(*campaign, 1, 15);
  const Points at = Points{{0.1}, {0.55}, {0.9}};
  const StudyModel model = campaign->model();
  const AveragedMarginals f =
      AveragedModel::point(model.prior, Observations(model.observations, campaign->study().pool().points()),
                           model.nugget)
          .predict(at)
          .marginals;
  const ShownBelief found = point.at(at), mixed = averaged.at(at);
  EXPECT_LT((found.middle - f.mean).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((found.high - f.high).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT((found.sd - mixed.sd).cwiseAbs().maxCoeff(), 1e-6);  // they differ: the test tells them apart
  EXPECT_EQ(averaged.note(), "");
  EXPECT_EQ(
      point.note(),
      "With more than 15 answers the prediction shown uses one set of hyperparameters, the most probable "
      "one, instead of an average over 4.");
  EXPECT_EQ(campaign_data(*campaign, std::nullopt, &point).belief.note, point.note());
}

TEST(AveragedBelief, SaysNothingIfTheStudyDoesNotAverage) {
  MemoryCampaign campaign(testing::two_level_study("budget = 200"), box_pool(1, 40));
  campaign.go(4, [](const Suggestion& asked) { return asked.inputs[0]; });
  EXPECT_EQ(AveragedBelief(*campaign, 1, 2).note(), "");
}

}  // namespace
}  // namespace acuity::averaged_belief_test
