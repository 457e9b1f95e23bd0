// What people see of levels with bias and of goals.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "acuity/model/gp_posterior.hpp"
#include "campaign/campaign_model.hpp"
#include "judgement/calibration_verdict.hpp"
#include "judgement/held_out_scores.hpp"
#include "judgement/level_agreement.hpp"
#include "judgement/level_biases.hpp"
#include "judgement/prequential.hpp"
#include "judgement/reference_verdict.hpp"
#include "pages/campaign_figures.hpp"
#include "pages/campaign_page.hpp"
#include "support/memory_campaigns.hpp"
#include "views/campaign_data.hpp"
#include "views/campaign_status.hpp"
#include "views/event_json.hpp"

namespace acuity::testing::biased_levels_test {
namespace {

// The coarse level reads 0.8 too high.
constexpr double offset = 0.8;

std::string study_with_bias() {
  return with_given_model(
      "[campaign]\nseed = 1\nbudget = 200\n[pool]\nfile = \"pool.csv\"\n"
      "[[level]]\nname = \"coarse\"\nnoise_sd = 0.05\ncost = 1\nbias = { offset_sd = 1.0, smooth_sd = 0.2 }\n"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 6\n");
}

double answer_of(const Suggestion& asked) {
  return std::sin(asked.inputs[0]) + (asked.level.name == "coarse" ? offset : 0.0);
}

// Pairs at three points, then chosen answers.
class Calibrated : public MemoryCampaign {
 public:
  explicit Calibrated(int steps = 0) : MemoryCampaign(study_with_bias(), pool_on_a_line(30, 8.0)) {
    for (const Index row : {Index{2}, Index{14}, Index{27}}) {
      const double truth = std::sin(8.0 * static_cast<double>(row) / 29.0);
      tell(row, "coarse", truth + offset);
      tell(row, "fine", truth);
    }
    go(steps, answer_of);
  }
};

// The prediction of what a level answers at a pool row, its noise included.
std::pair<double, double> predicted(const Campaign& campaign, Index row, const std::string& level) {
  const Study& study = campaign.study();
  const StudyModel model = campaign.model();
  const Channel channel = channel_at(study.level_named(level), 0.0);
  const GpPosterior posterior(model.prior, Observations(model.observations, study.pool().points()));
  const Marginals answer = posterior.predict_part(Points(study.pool().points().row(row)), bias_of(channel));
  return {answer.mean(0), std::sqrt(answer.variance(0) + noise_variance(channel))};
}

// The coarse level has less noise, but an offset that is not known.
TEST(BiasedLevels, AreShownInTheOrderOfPrecision) {
  MemoryCampaign campaign(
      with_given_model("[campaign]\nseed = 1\nbudget = 200\n[pool]\nfile = \"pool.csv\"\n"
                       "[[level]]\nname = \"coarse\"\nnoise_sd = 0.01\ncost = 1\nbias = { offset_sd = 1.0, "
                       "smooth_sd = 0.2 }\n"
                       "[[level]]\nname = \"fine\"\nnoise_sd = 0.05\ncost = 6\n"),
      pool_on_a_line(30, 8.0));
  for (const Index row : {Index{2}, Index{14}}) {
    campaign.tell(row, "coarse", 1.0);
    campaign.tell(row, "fine", 0.5);
  }
  const std::vector<LevelTotal> levels = campaign_data(*campaign).books.levels;
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].name, "fine");
  EXPECT_EQ(levels[1].name, "coarse");
}

std::string deterministic_study(const std::string& finest) {
  return "[campaign]\nseed = 1\nbudget = 200\n"
         "[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = 1\nrepeat = \"same\"\n"
         "[[level]]\nname = \"fine\"\ncost = 6\n" +
         finest;
}

Study studied(const std::string& finest) {
  const Points line = Vector::LinSpaced(30, 0.0, 8.0);
  return Study::make(read_study_text(deterministic_study(finest)), Pool(line, {"x"}));
}

std::string text_under_nugget(const std::string& finest, double nugget) {
  const Study study = studied(finest);
  const StudyLearner learner(study);
  const Learned learned{.prior = learner.prior_given({}), .nugget = nugget};
  return undeclared_noise_text(study, learner.model_given({}, learned));
}

TEST(UndeclaredNoise, IsNamedBesideTheNoiseOfADeterministicReference) {
  const std::string same = "noise_sd = 0.005\nrepeat = \"same\"\n";
  EXPECT_EQ(
      text_under_nugget(same, 9e-4),
      "undeclared noise 0.03 is 6 times the noise of fine; scatter of the other levels may be part of it");
  EXPECT_EQ(text_under_nugget(same, 1e-4), "");  // twice
  EXPECT_EQ(text_under_nugget("noise_sd = 0.005\n", 9e-4), "");
  EXPECT_EQ(text_under_nugget(same + "[noise]\nnugget = 0.0009\n", 9e-4), "");
  EXPECT_EQ(text_under_nugget("exact = true\n", 9e-2),
            "undeclared noise 0.3 is learned, although fine is exact; scatter of the other levels may be "
            "part of it");
  EXPECT_EQ(text_under_nugget("exact = true\n", 1e-8), "");
}

TEST(UndeclaredNoise, IsInTheDetailsOfStatus) {
  Campaign campaign(studied("noise_sd = 0.0001\nrepeat = \"same\"\n"), make_memory_event_store(),
                    {.threads = 1});
  for (int k = 0; k < 16; ++k) {
    const Suggestion asked = campaign.ask().suggestions.at(0);
    const double scatter = std::sin(51.0 * static_cast<double>(asked.row));
    Answer answer;
    answer.id = asked.id;
    answer.values = {std::sin(asked.inputs[0]) + 0.1 * scatter};
    campaign.tell({answer});
  }
  EXPECT_NE(status_text(campaign, StatusExtent::details).find("times the noise of fine"), std::string::npos)
      << status_text(campaign, StatusExtent::details);
}

TEST(BiasedAnswers, AreComparedWithWhatTheirLevelIsPredictedToAnswer) {
  Calibrated campaign;
  bool was_coarse = false;
  for (int k = 0; k < 12; ++k) {
    const std::vector<Suggestion> asked = campaign->ask().suggestions;
    ASSERT_EQ(asked.size(), 1U);
    const auto [mean, sd] = predicted(*campaign, asked[0].row, asked[0].level.name);
    Answer answer;
    answer.id = asked[0].id;
    answer.values = {answer_of(asked[0])};
    const TellResult told = campaign->tell({answer}).at(0);
    ASSERT_TRUE(told.surprise);
    EXPECT_NEAR(*told.surprise, (answer.values[0] - mean) / sd, 1e-6);
    was_coarse |= asked[0].level.name == "coarse";
    EXPECT_EQ(asked[0].answer_mean.has_value(), asked[0].level.name == "coarse");
  }
  EXPECT_TRUE(was_coarse);
}

TEST(BiasedAnswers, ThePredictionIsInTheLog) {
  Calibrated campaign(12);
  int with_bias = 0;
  State state;
  for (const StoredEvent& stored : campaign->events()) {
    state.apply(stored);
    const auto* asked = std::get_if<Asked>(&stored.event);
    if (asked == nullptr) continue;
    EXPECT_EQ(asked->answer_mean.has_value(), asked->level == "coarse");
    EXPECT_EQ(to_json(event_from_json("asked", to_json(stored.event))), to_json(stored.event));
    const std::string line = event_json(stored, state, &campaign->study().pool());
    EXPECT_EQ(line.find("answer_variance") != std::string::npos, asked->level == "coarse");
    with_bias += asked->answer_mean.has_value();
  }
  EXPECT_GT(with_bias, 0);
}

TEST(BiasedAnswers, PredictionsBeforeAnAnswerHaveTheBias) {
  Calibrated campaign(20);
  double squares = 0.0;
  const std::vector<PrequentialScore> scores = prequential_scores(*campaign, 20);
  ASSERT_EQ(scores.size(), 20U);
  for (const PrequentialScore& score : scores) squares += score.z() * score.z() / 20.0;
  EXPECT_LT(std::sqrt(squares), 1.5) << "the bias was taken for an error of the prediction";
}

TEST(BiasedAnswers, AnAnswerOfAnotherLevelHasNoPrediction) {
  Calibrated campaign;
  const Suggestion asked = campaign->ask().suggestions.at(0);
  Answer answer;
  answer.id = asked.id;
  answer.values = {0.5};
  answer.level = campaign->study().level_named(asked.level.name == "fine" ? "coarse" : "fine");
  EXPECT_FALSE(campaign->tell({answer}).at(0).surprise);
}

TEST(BiasedAnswers, HeldOutValuesOfALevelAreComparedWithItsAnswers) {
  Calibrated campaign(12);
  Folder folder;
  std::string table = "x,y,level\n";
  for (int k = 0; k < 20; ++k)
    table +=
        fmt::format("{0},{1},coarse\n{0},{2},fine\n", 0.4 * k, std::sin(0.4 * k) + offset, std::sin(0.4 * k));
  const Study& study = campaign->study();
  const HeldOut test = read_held_out(folder.write("test.csv", table), study);
  const CampaignModel model(study, campaign->state());
  const HeldOutScores scores =
      held_out_scores(study, model, model.posterior().predict(test.points), test, TableNoise::finest);
  EXPECT_LT(scores.error_size(), 0.3) << "the offset is 0.8";
  const Marginals coarse = model.posterior().predict_part(test.points, 1);
  EXPECT_NEAR(scores.error(0), test.values(0) - coarse.mean(0), 1e-12);
  EXPECT_NEAR(scores.variance(0), coarse.variance(0) + 0.05 * 0.05, 1e-12);
}

TEST(LevelBiases, AreThoseOfTheModel) {
  Calibrated campaign(12);
  const Study& study = campaign->study();
  const CampaignModel model(study, campaign->state());
  const std::vector<EstimatedBias> found = level_biases(study, model.study_model());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].level, "coarse");
  EXPECT_EQ(found[0].reference, "fine");
  const Points pool = study.pool().points();
  const Marginals b = model.posterior().predict_part(pool, 1, AnswerPart::offset),
                  e = model.posterior().predict_part(pool, 1, AnswerPart::error);
  EXPECT_NEAR(found[0].offset, b.mean(7), 1e-12);
  EXPECT_NEAR(found[0].offset_sd, std::sqrt(b.variance(7)), 1e-12);
  EXPECT_EQ(found[0].smooth_sd, 0.2);
  EXPECT_DOUBLE_EQ(found[0].white_sd, 0.05);
  EXPECT_NEAR(found[0].difference, e.mean.mean(), 1e-12);
  EXPECT_NEAR(found[0].difference, offset, 3.0 * found[0].difference_sd);
  EXPECT_FALSE(found[0].is_assumed);
  EXPECT_FALSE(found[0].is_useless());
  const Json json = level_bias_json(found);
  EXPECT_EQ(json.at(0).at("offset"), found[0].offset);
}

TEST(LevelBiases, StatusSaysWhatWasDoneAboutADifference) {
  Calibrated campaign(12);
  const std::string text = status_text(*campaign, StatusExtent::details);
  EXPECT_EQ(text.find("MORE THAN NOISE"), std::string::npos) << text;
  EXPECT_NE(text.find("bias of the levels\ncoarse reads 0."), std::string::npos) << text;
  EXPECT_NE(text.find("above fine, "), std::string::npos) << text;
  EXPECT_NE(text.find("its bias is part of the model (smooth difference 0.2, white part 0.05)"),
            std::string::npos)
      << text;
  const Json json = Json::parse(status_json(*campaign));
  EXPECT_EQ(json.at("level_bias").at(0).at("level"), "coarse");
  EXPECT_TRUE(json.at("level_offsets").at(0).at("in_model"));
  EXPECT_TRUE(json.at("level_offsets").at(0).at("bias"));
}

TEST(LevelBiases, WithoutTheReferenceLevelTheyAreAnAssumption) {
  MemoryCampaign campaign(study_with_bias(), pool_on_a_line(30, 8.0));
  const auto assumed = [&] { return assumption_text(campaign->study(), campaign->model()); };
  EXPECT_EQ(assumed(), "") << "nothing is known at all";
  campaign.tell(3, "coarse", 0.5);
  EXPECT_NE(assumed().find("there is no answer at fine, so the bias of the other levels is an assumption"),
            std::string::npos);
  EXPECT_NE(status_text(*campaign, StatusExtent::details).find(assumed()), std::string::npos);
  EXPECT_NE(status_text(*campaign, StatusExtent::details).find("coarse is assumed to read up to"),
            std::string::npos);
  campaign.tell(3, "fine", 0.1);
  EXPECT_EQ(assumed(), "");
}

TEST(LevelBiases, ALevelAsWrongAsTheSignalIsLargeIsCalledUseless) {
  const std::string study = with(study_with_bias(), "noise_sd", "1.5");
  MemoryCampaign campaign(study, pool_on_a_line(30, 8.0));
  campaign.tell(3, "coarse", 0.5);
  campaign.tell(3, "fine", 0.1);
  EXPECT_NE(status_text(*campaign, StatusExtent::details).find("coarse is useless here"), std::string::npos);
  Calibrated better;
  EXPECT_EQ(status_text(*better, StatusExtent::details).find("useless"), std::string::npos);
}

// The slow twin: answers of a level given those of the others, by one covariance of all answers.
TEST(LevelAgreement, IsWhatTheModelWithBiasPredicts) {
  Calibrated campaign(14);
  const Study& study = campaign->study();
  const StudyModel model = campaign->model();
  const LevelEvidence evidence = level_evidence(study, campaign->state());
  ASSERT_EQ(evidence.agreements.size(), 1U);
  const LevelAgreement& found = evidence.agreements[0];
  const bool own_is_coarse = found.level == "coarse";
  const Observations all(model.observations, study.pool().points());
  const Index n = all.size();
  Matrix joint = model.prior.kernel->cross(all.points(), all.points());
  const auto is_coarse = [&](Index i) { return bias_of(all.channels()[static_cast<std::size_t>(i)]) == 1; };
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (is_coarse(i) && is_coarse(j)) joint(i, j) += 1.0 + 0.04 * joint(i, j);
  joint.diagonal() += all.noise();
  std::vector<Index> own, others;
  for (Index i = 0; i < n; ++i) (is_coarse(i) == own_is_coarse ? own : others).push_back(i);
  const Matrix cross = joint(own, others), gain = joint(others, others).llt().solve(cross.transpose());
  const Matrix left = joint(own, own) - cross * gain;
  const Vector error = all.values()(own) - gain.transpose() * all.values()(others);
  const Vector ones = Vector::Ones(error.size()), weights = left.llt().solve(ones);
  EXPECT_NEAR(found.offset, weights.dot(error) / weights.sum(), 1e-5);
  EXPECT_NEAR(found.standard_error, 1.0 / std::sqrt(weights.sum()), 1e-5);
  EXPECT_NEAR(found.factor, std::sqrt(error.dot(left.llt().solve(error)) / static_cast<double>(own.size())),
              1e-4);
  EXPECT_FALSE(found.is_bad());
}

TEST(LevelAgreement, WithoutTheReferenceLevelTheVerdictIsThatNobodyCanTell) {
  MemoryCampaign campaign(study_with_bias(), pool_on_a_line(30, 8.0));
  for (Index row = 0; row < 20; ++row)
    campaign.tell(row, "coarse", std::sin(8.0 * static_cast<double>(row) / 29.0) + offset);
  const CalibrationVerdict verdict = verdict_on(*campaign);
  EXPECT_EQ(verdict.calibration, CalibrationVerdict::Calibration::cannot_tell);
  EXPECT_NE(verdict.reason.find("there is no answer at fine, so the bias of coarse is an assumption"),
            std::string::npos)
      << verdict.text();
}

// The most precise level is not the finest mesh here, and no level is the reference.
TEST(LevelAgreement, AtTheLimitOfTheMeshTheVerdictNamesTheFinestMesh) {
  MemoryCampaign campaign(
      "[campaign]\nseed = 1\nbudget = 200\n[pool]\nfile = \"pool.csv\"\n"
      "[[level]]\nname = \"coarse\"\nnoise_sd = 0.01\nh = 0.4\nrepeat = \"same\"\ncost = 1\n"
      "[[level]]\nname = \"medium\"\nnoise_sd = 0.03\nh = 0.2\nrepeat = \"same\"\ncost = 4\n"
      "[[level]]\nname = \"fine\"\nnoise_sd = 0.03\nh = 0.1\nrepeat = \"same\"\ncost = 16\n"
      "reference = \"limit\"\n",
      pool_on_a_line(30, 8.0));
  for (Index row = 0; row < 24; row += 2) {
    const double truth = std::sin(8.0 * static_cast<double>(row) / 29.0);
    campaign.tell(row, "coarse", truth + 0.008);
    if (row % 4 == 0) campaign.tell(row, "fine", truth + 0.0005);
  }
  EXPECT_EQ(level_evidence(campaign->study(), campaign->state()).finest, "fine");
  const CalibrationVerdict verdict =
      verdict_on_reference(*campaign, level_evidence(campaign->study(), campaign->state()));
  EXPECT_EQ(verdict.calibration, CalibrationVerdict::Calibration::cannot_tell);
  EXPECT_EQ(verdict.reason,
            "f is meant at the limit of the mesh, where no level answers: how far fine is from it follows "
            "from the model")
      << verdict.text();
}

TEST(LevelBiases, OfAChainNameTheLevelThatTheyFeed) {
  MemoryCampaign campaign(with_given_model("[campaign]\nseed = 1\nbudget = 200\n[pool]\nfile = \"pool.csv\"\n"
                                           "[[level]]\nname = \"coarse\"\nnoise_sd = 0.05\ncost = 1\n"
                                           "bias = { offset_sd = 1.0, smooth_sd = 0.2 }\n"
                                           "[[level]]\nname = \"medium\"\nnoise_sd = 0.04\ncost = 2\n"
                                           "bias = { offset_sd = 0.5, smooth_sd = 0.1 }\n"
                                           "[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 6\n"),
                          pool_on_a_line(30, 8.0));
  for (const char* level : {"coarse", "medium", "fine"}) campaign.tell(3, level, 0.5);
  StudyModel model = campaign->model();
  LevelChain chain;
  for (const int bias : {1, 2, 0}) chain.links.push_back({.bias = bias, .kernel = model.prior.kernel});
  Learned learned;
  learned.prior = model.prior;
  model.learned = learned;
  model.learned->chain.emplace(
      LearnedChain{.chain = std::make_shared<const LevelChain>(chain), .weight = 0.9});
  const std::vector<EstimatedBias> found = level_biases(campaign->study(), model);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NE(to_text(found[0]).find("what coarse answers is one more input of medium"), std::string::npos)
      << to_text(found[0]);
  EXPECT_NE(to_text(found[1]).find("what medium answers is one more input of fine"), std::string::npos)
      << to_text(found[1]);
}

TEST(BiasReport, HasATableAndPairedDifferences) {
  Calibrated campaign(12);
  const CampaignData data = campaign_data(*campaign);
  ASSERT_EQ(data.biases.size(), 1U);
  const BiasView& view = data.biases[0];
  ASSERT_GE(view.pairs.size(), 3U);
  EXPECT_NEAR(view.pairs[0].difference, offset, 1e-12);
  ASSERT_EQ(view.curves.size(), 1U);
  const CampaignModel model(campaign->study(), campaign->state());
  const Points last{{view.curves[0].x.back()}};
  EXPECT_NEAR(view.curves[0].middle.back(),
              model.posterior().predict_part(last, 1, AnswerPart::error).mean(0), 1e-12);
  const std::vector<CampaignFigure> figures = campaign_figures(data);
  const auto figure = std::find_if(figures.begin(), figures.end(),
                                   [](const CampaignFigure& one) { return one.name == "level-bias"; });
  ASSERT_NE(figure, figures.end());
  EXPECT_NE(figure->svg.find("coarse − fine"), std::string::npos);
  const std::string page = campaign_page(data, figures, {"0", "acuity report"});
  EXPECT_NE(page.find("its bias is part of the model"), std::string::npos);
  EXPECT_NE(page.find("reads above fine"), std::string::npos);
  EXPECT_EQ(page.find("more than noise"), std::string::npos);
  EXPECT_FALSE(data.predicted_errors) << "the goal is the pool";
}

TEST(BiasReport, IsNotThereWithoutABias) {
  MemoryCampaign campaign(two_level_study("seed = 1"), pool_on_a_line(20, 10.0));
  campaign.go(5, [](const Suggestion& asked) { return std::sin(asked.inputs[0]); });
  const CampaignData data = campaign_data(*campaign);
  EXPECT_TRUE(data.biases.empty());
  for (const CampaignFigure& figure : campaign_figures(data)) EXPECT_NE(figure.name, "level-bias");
}

TEST(GoalReport, HasTheErrorWhereItMattersBesideThatOfThePool) {
  const std::string study = two_level_study("seed = 1\nbudget = 100", "") + "[goal]\nbox = { x = [0, 2] }\n";
  MemoryCampaign campaign(study, pool_on_a_line(20, 10.0));
  campaign.go(5, [](const Suggestion& asked) { return std::sin(asked.inputs[0]); });
  const CampaignData data = campaign_data(*campaign);
  ASSERT_TRUE(data.predicted_errors);
  EXPECT_LT(data.predicted_errors->goal, data.predicted_errors->pool) << "answers were bought for the goal";
  const std::string page = campaign_page(data, campaign_figures(data), {"0", "acuity report"});
  EXPECT_NE(page.find("predicted error at the goal"), std::string::npos);
}

TEST(GoalStop, TheStopRuleIsAboutTheGoal) {
  const std::string study = two_level_study("seed = 1\nbudget = 500", "", "repeat = true") +
                            "[goal]\nbox = { x = [0, 2] }\n[stop]\npredictive_sd = 0.2\n";
  MemoryCampaign campaign(study, pool_on_a_line(20, 10.0));
  AskResult last;
  for (int k = 0; k < 100; ++k) {
    last = campaign->ask();
    if (last.suggestions.empty()) break;
    Answer answer;
    answer.id = last.suggestions[0].id;
    answer.values = {std::sin(last.suggestions[0].inputs[0])};
    campaign->tell({answer});
  }
  EXPECT_EQ(last.status, AskStatus::finished);
  EXPECT_NE(last.reason.find("on average over the goal, below stop.predictive_sd = 0.2"), std::string::npos)
      << last.reason;
  const CampaignModel model(campaign->study(), campaign->state());
  const Goal& goal = *campaign->study().goal();
  EXPECT_LT(goal.weights.dot(model.posterior().predict(goal.points).variance.cwiseSqrt()), 0.2);
  EXPECT_GT(model.posterior().predict(campaign->study().pool().points()).variance.cwiseSqrt().mean(), 0.4);
}

}  // namespace
}  // namespace acuity::testing::biased_levels_test
