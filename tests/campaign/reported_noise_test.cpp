// What answers report of their own noise, and what becomes of the choices.
#include "study/reported_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "campaign/state_queries.hpp"
#include "conduct/simulated_pool.hpp"
#include "explain/explanation.hpp"
#include "numerics/random.hpp"
#include "support/reporting_campaigns.hpp"

namespace acuity::reported_noise_test {
namespace {

// Hyperparameters are given and stay as they are: the schedule is longer than any campaign here.
const std::string learning = "fit = 1000\n";
// Choices are compared with those of a full scan.
const std::string no_plan = "[acquisition]\ninformation = \"model\"\nplan = \"none\"\n";

std::string price_list(double factor, const std::string& model = learning) {
  return "[campaign]\nbudget = 1000\n[pool]\nfile = \"pool.csv\"\nrepeat = true\n[model]\n" + model +
         fmt::format("[[level]]\nname = \"coarse\"\nnoise_sd = {}\ncost = 1\n", 0.3 * factor) +
         fmt::format("[[level]]\nname = \"fine\"\nnoise_sd = {}\ncost = 6\n", 0.1 * factor) + no_plan;
}

std::string ladder(double factor, const std::string& rungs = "{ from = 1, to = 20, count = 16 }") {
  return "[campaign]\nbudget = 1000\n[pool]\nfile = \"pool.csv\"\nrepeat = true\n[model]\n" + learning +
         fmt::format("[noise]\nvariance = {}\n", 0.003 * factor * factor) + "[precision]\nalpha = " + rungs +
         fmt::format("\ngamma = {}\n", 0.09 * factor * factor) +
         "cost = { form = \"power\", c = 9.0, q = 0.65 }\n" + no_plan;
}

Campaign campaign_of(const std::string& text) {
  return Campaign(testing::study_on_a_line(text), make_memory_event_store());
}

// Answers have `factor` times the noise that the study declares for them, and say so.
class Reporting {
 public:
  explicit Reporting(double factor) : factor_(factor) {}

  Answer operator()(const Study& study, const Suggestion& asked) {
    const double declared = noise_variance(channel_at(level_of(study, asked.level.name, asked.level.alpha),
                                                      study.offer().base_noise(asked.row)));
    const double variance = factor_ * factor_ * declared;
    Answer answer;
    answer.id = asked.id;
    answer.values = {std::sin(asked.inputs[0]) + std::sqrt(variance) * draws_.normal()};
    answer.channel = GaussianChannel{variance};
    return answer;
  }

 private:
  double factor_;
  numerics::Draws draws_{5, numerics::Purpose::data, 1};
};

// Between answers with twice the declared noise, and studies that declare either. The pool is a line of this
// length.
testing::Agreement agreement(const std::string& declared, const std::string& doubled, double length) {
  const auto study = [&](const std::string& text) { return testing::study_on_a_line(text, length); };
  return testing::agreement(Campaign(study(declared), make_memory_event_store()), study(doubled),
                            study(declared), Reporting(2.0));
}

TEST(ReportedNoise, ChoicesBecomeThoseOfAStudyThatDeclaresWhatAnswersReport) {
  const testing::Agreement list = agreement(price_list(1.0), price_list(2.0), 8.0);
  EXPECT_GE(list.with_reported, list.of * 9 / 10);
  EXPECT_LT(list.with_declared, list.of * 8 / 10) << "or the test shows nothing";
}

TEST(ReportedNoise, ChoicesOnALadderFollowTheReportsToo) {
  const testing::Agreement rungs = agreement(ladder(1.0), ladder(2.0), 40.0);
  EXPECT_GE(rungs.with_reported, rungs.of * 9 / 10);
  EXPECT_LT(rungs.with_declared, rungs.of * 8 / 10) << "or the test shows nothing";
}

TEST(ReportedNoise, AnyPrecisionOfAContinuousLadderFollowsTheReports) {
  Campaign campaign = campaign_of(ladder(1.0, "{ from = 1, to = 20, continuous = true }"));
  Reporting reporting(2.0);
  for (int k = 0; k < 40; ++k) campaign.tell({reporting(campaign.study(), campaign.ask().suggestions.at(0))});
  const StudyModel model = campaign.model();
  ASSERT_TRUE(model.acquisition.continuous);
  // The noise that is used at the precisions that were bought: on average nearly that of the reports, which
  // is four times the declared; the declared noise counts as two reports of 42 for each of its two parts.
  const double base = model.offer.base_noise(0), gamma = model.acquisition.continuous->law.gamma;
  double log_ratio = 0.0;
  for (const Annotation& annotation : campaign.annotations())
    log_ratio += std::log((base + gamma / *annotation.alpha) / (0.003 + 0.09 / *annotation.alpha)) / 40.0;
  EXPECT_GT(log_ratio, std::log(4.0) * 38.0 / 42.0);
  EXPECT_LT(log_ratio, std::log(4.0));
}

TEST(ReportedNoise, TheOfferOfALevelIsAMeanOfDeclaredAndReported) {
  Campaign campaign = campaign_of(price_list(1.0));
  Reporting reporting(2.0);
  for (int k = 0; k < 3; ++k) campaign.tell({reporting(campaign.study(), campaign.ask().suggestions.at(0))});
  const StudyModel model = campaign.model();
  for (std::size_t k = 0; k < 2; ++k) {
    int m = 0;
    for (const Annotation& annotation : campaign.annotations())
      m += annotation.level == static_cast<Index>(k) ? 1 : 0;
    const double factor = std::pow(4.0, m / (m + declared_noise_weight));
    EXPECT_NEAR(noise_variance(model.offer.levels[k].channel),
                factor * noise_variance(campaign.study().offer().levels[k].channel), 1e-12);
  }
  for (std::size_t i = 0; i < model.observations.size(); ++i)
    EXPECT_EQ(model.observations[i].channel, campaign.annotations()[i].channel) << "as reported";
}

TEST(ReportedNoise, AnswersWithoutAReportKeepTheDeclaredNoise) {
  Campaign campaign = campaign_of(price_list(1.0));
  Reporting reporting(2.0);
  for (int k = 0; k < 6; ++k) {
    const Suggestion suggestion = campaign.ask().suggestions.at(0);
    Answer answer = reporting(campaign.study(), suggestion);
    if (k % 2 == 1) answer.channel.reset();
    campaign.tell({answer});
  }
  const StudyModel model = campaign.model();
  for (std::size_t i = 0; i < model.observations.size(); ++i) {
    const Annotation& one = campaign.annotations()[i];
    const double declared =
        noise_variance(campaign.study().offer().levels[static_cast<std::size_t>(*one.level)].channel);
    EXPECT_EQ(one.reported, i % 2 == 0);
    EXPECT_NEAR(noise_variance(model.observations[i].channel), (i % 2 == 0 ? 4.0 : 1.0) * declared, 1e-12);
  }
}

TEST(ReportedNoise, IsNotLearnedWhereNothingIs) {
  Campaign campaign = campaign_of(price_list(1.0, "fit = \"never\"\n"));
  Reporting reporting(2.0);
  for (int k = 0; k < 8; ++k) {
    const Suggestion suggestion = campaign.ask().suggestions.at(0);
    const StudyModel model = campaign.model();
    EXPECT_EQ(model.reported, NoiseScales{});
    for (std::size_t l = 0; l < 2; ++l)
      EXPECT_EQ(model.offer.levels[l].channel, campaign.study().offer().levels[l].channel);
    campaign.tell({reporting(campaign.study(), suggestion)});
  }
  const auto found = reported_noise(campaign.study(), campaign.model(), campaign.annotations());
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].used, found[0].declared);
  EXPECT_NE(reported_noise_sentences(campaign.study(), found).at(0).find("model.fit is \"never\""),
            std::string::npos);
}

TEST(ReportedNoise, WithFitNoiseALearnedScaleTakesThePlaceOfTheDeclaredNoise) {
  const Study study = testing::study_on_a_line(price_list(1.0, "fit = \"every\"\nfit_noise = true\n"));
  std::vector<Annotation> annotations;
  numerics::Draws draws(8, numerics::Purpose::data, 0);
  for (Index i = 0; i < 30; ++i) {
    Annotation one = study.annotation(i, 0.0, study.offer().levels[0], 0.0, 1.0);
    one.value = std::sin(study.pool().point(i)[0]) + 0.9 * draws.normal();
    one.reported = i % 10 == 0;
    if (one.reported) one.channel = GaussianChannel{0.36};
    annotations.push_back(one);
  }
  const StudyModel model = StudyLearner(study).model_given(annotations);
  ASSERT_TRUE(model.learned);
  const double learned = model.learned->level_scales.at(0) * 0.09;
  EXPECT_GT(learned, 2.0 * 0.09) << "answers without a report have three times the noise_sd";
  const double w = declared_noise_weight;
  EXPECT_NEAR(noise_variance(model.offer.levels[0].channel),
              std::exp((w * std::log(learned) + 3.0 * std::log(0.36)) / (w + 3.0)), 1e-9);
  EXPECT_EQ(noise_variance(model.observations[0].channel), 0.36) << "as reported";
  EXPECT_NEAR(noise_variance(model.observations[1].channel), learned, 1e-12) << "as learned";
}

// A belief that appends, and one built from the log, expect the same and choose the same.
TEST(ReportedNoise, ABeliefThatAppendsChoosesLikeOneBuiltFromTheLog) {
  for (const std::string& text : {price_list(1.0), ladder(1.0)}) {
    Campaign campaign = campaign_of(text);
    CampaignBelief appended(campaign.study(), 1, {});
    appended.follow(campaign.state());
    Reporting reporting(2.0);
    for (int k = 0; k < 12; ++k) {
      const AskResult result = campaign.ask({.count = 3, .worker = "", .lease = {}});
      // The second of three is told first, the third stays pending until the next round.
      for (const std::size_t at : {1, 0})
        campaign.tell({reporting(campaign.study(), result.suggestions.at(at))});
      appended.follow(campaign.state());
      CampaignBelief fresh(campaign.study(), 1, {});
      fresh.follow(campaign.state());
      EXPECT_EQ(appended.model().reported, fresh.model().reported);
      EXPECT_LT((appended.belief().marginals().variance - fresh.belief().marginals().variance)
                    .cwiseAbs()
                    .maxCoeff(),
                1e-9);
      testing::expect_same_choice(appended, fresh, campaign.candidates());
      campaign.tell({reporting(campaign.study(), result.suggestions.at(2))});
      appended.follow(campaign.state());
    }
  }
}

TEST(ReportedNoise, WhatIsPendingIsExpectedWithTheNoiseOnOffer) {
  Campaign campaign = campaign_of(price_list(1.0));
  Reporting reporting(2.0);
  for (int k = 0; k < 10; ++k) campaign.tell({reporting(campaign.study(), campaign.ask().suggestions.at(0))});
  const Suggestion pending = campaign.ask().suggestions.at(0);
  const StudyModel model = campaign.model();
  const auto belief = StudyLearner(campaign.study()).belief(model);
  belief->condition(Place(pending.row), pending.channel, std::nullopt);
  EXPECT_LT((campaign.belief().marginals().variance - belief->marginals().variance).cwiseAbs().maxCoeff(),
            1e-9);
}

TEST(ReportedNoise, ALevelThatRepeatsItselfIsSoldWhateverItReports) {
  std::string text = price_list(1.0);
  text.insert(text.find("cost = 6"), "repeat = \"same\"\n");
  Campaign campaign = campaign_of(text);
  const Suggestion asked = campaign.ask().suggestions.at(0);
  Answer answer = Reporting(2.0)(campaign.study(), asked);
  answer.level = campaign.study().level_named("fine");
  campaign.tell({answer});
  EXPECT_FALSE(campaign.candidates().is_open(asked.row, 1));
}

TEST(ReportedNoise, TheSentenceNamesReportedDeclaredAndUsed) {
  Campaign campaign = campaign_of(price_list(1.0));
  Reporting reporting(2.0);
  const auto report_coarse = [&] {
    const Suggestion asked = campaign.ask().suggestions.at(0);
    Answer answer = reporting(campaign.study(), asked);
    answer.level = campaign.study().level_named("coarse");
    answer.channel = GaussianChannel{0.36};
    campaign.tell({answer});
  };
  const auto reported_now = [&] {
    return reported_noise(campaign.study(), campaign.model(), campaign.annotations());
  };
  for (int k = 0; k < 4; ++k) report_coarse();
  const auto found = reported_now();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].count, 4);
  EXPECT_TRUE(reported_noise_warnings(campaign.study(), found).empty()) << "few answers scatter";
  report_coarse();
  EXPECT_EQ(
      reported_noise_warnings(campaign.study(), reported_now()),
      std::vector<std::string>{"level coarse: answers report 2.0 times its noise_sd (0.6 instead of 0.3); "
                               "choices use 0.492"});
  const NextExplanation next = explain_next(campaign, 1);
  EXPECT_NE(to_text(*next.explanation, campaign.study()).find("choices use 0.492"), std::string::npos);
}

// Answers with what it is told of the noise.
struct Echo : Annotator {
  double annotate(const Suggestion& suggestion) override { return noise_variance(suggestion.channel); }
};

TEST(ReportedNoise, SimulatedAnswersGoOnToReportTheNoise) {
  Campaign campaign = campaign_of(price_list(1.0));
  Reporting reporting(2.0);
  for (int k = 0; k < 20; ++k) campaign.tell({reporting(campaign.study(), campaign.ask().suggestions.at(0))});
  const Suggestion next = campaign.ask().suggestions.at(0);
  SimulatedPool reports(campaign.study(), std::make_unique<Echo>(), campaign.model());
  reports.start(next);
  const Answer reported = reports.wait(0.0).at(0).answer;
  EXPECT_NEAR(reported.values.at(0), noise_variance(next.channel), 1e-12) << "as on offer";
  EXPECT_EQ(noise_variance(reported.channel.value()), reported.values.at(0));
  SimulatedPool declared(campaign.study(), std::make_unique<Echo>());
  declared.start(next);
  const Answer plain = declared.wait(0.0).at(0).answer;
  EXPECT_FALSE(plain.channel);
  EXPECT_LT(plain.values.at(0), 0.5 * reported.values.at(0));
}

}  // namespace
}  // namespace acuity::reported_noise_test
