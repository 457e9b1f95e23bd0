// What the money is expected to buy, held against what it does buy.
#include "judgement/forecast.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "acuity/model/gp_posterior.hpp"
#include "acuity/study/study_learner.hpp"
#include "annotation/prior_truth.hpp"
#include "annotation/simulated_annotator.hpp"
#include "support/campaigns.hpp"
#include "support/studies.hpp"
#include "support/thorough.hpp"

namespace acuity::forecast_test {
namespace {

using testing::campaign_study;
using testing::class_campaign_study;
using testing::Folder;
using testing::line_pool;

constexpr double infinity = std::numeric_limits<double>::infinity();

Study study_of(const std::string& text, int points = 30) {
  const Folder folder;
  folder.write("pool.csv", line_pool(points));
  folder.write("known.csv", "id,y,alpha\n3,0.5,inf\n7,0.1,inf\n");
  return Study::open(folder.write("study.toml", testing::with_given_model(text)));
}

// Shares of curves below, within and above the forecast's band, at some amount of money.
struct Shares {
  double below = 0.0, within = 0.0, above = 0.0;
};

// Campaigns of other seeds, each on a truth drawn from `world`, which is the study itself or is not.
std::vector<PolicyTrial> realised(const Study& study, const Study& world, Policy policy, int count) {
  std::vector<PolicyTrial> trials;
  for (int k = 0; k < count; ++k) {
    StudyVariant different;
    different.seed = 1000 + static_cast<std::uint64_t>(k);
    trials.push_back(*try_policy(study.variant(different), policy, 0,
                                 PriorTruth(world.variant(different)).draw(0), std::atomic<bool>(false)));
  }
  return trials;
}

Shares shares_at(const PolicyCurve& curve, std::size_t at, const std::vector<PolicyTrial>& trials) {
  Shares shares;
  for (const PolicyTrial& trial : trials) {
    const double error = error_at(trial, curve.money[at]);
    (error < curve.low[at]    ? shares.below
     : error > curve.high[at] ? shares.above
                              : shares.within) += 1.0 / static_cast<double>(trials.size());
  }
  return shares;
}

// A share p, of n truths that made the band and of n others, is off by sqrt(2 p (1 - p) / n): four of those.
double sampling_error(double share, int count) {
  return 4.0 * std::sqrt(2.0 * share * (1.0 - share) / count);
}

TEST(Forecast, HoldsAsOftenAsItClaims) {
  constexpr int count = 200;
  const Study study = study_of(campaign_study("budget = 8\nseed = 2", "lengthscale = 0.7"));
  const std::vector<Policy> policies{Policy::model, Policy::random};
  const Forecast made = *forecast(study, {.policies = policies, .repeats = count});
  ASSERT_EQ(made.curves.size(), 2U);
  for (std::size_t p = 0; p < policies.size(); ++p) {
    const std::vector<PolicyTrial> trials = realised(study, study, policies[p], count);
    for (const std::size_t at : {0U, 20U, 50U, 80U, 100U}) {
      const Shares shares = shares_at(made.curves[p], at, trials);
      EXPECT_NEAR(shares.below, 0.1, sampling_error(0.1, count)) << p << ' ' << at;
      EXPECT_NEAR(shares.within, 0.8, sampling_error(0.8, count)) << p << ' ' << at;
      EXPECT_NEAR(shares.above, 0.1, sampling_error(0.1, count)) << p << ' ' << at;
    }
  }
}

TEST(Forecast, DoesNotHoldInAnotherWorld) {
  const Study study = study_of(campaign_study("budget = 8\nseed = 2", "lengthscale = 0.7"));
  const Study wild = study_of(campaign_study("budget = 8\nseed = 2", "lengthscale = 0.7\namplitude = 3"));
  const Forecast made = *forecast(study, {.policies = {Policy::model}, .repeats = 60});
  EXPECT_GT(shares_at(made.curves[0], 50, realised(study, wild, Policy::model, 40)).above, 0.5);
}

TEST(Forecast, OfClassesHoldsAsOftenAsItClaims) {
  constexpr int count = 100;
  const Study study = study_of(class_campaign_study("budget = 6\nseed = 2", "amplitude = 2"));
  const Forecast made = *forecast(study, {.policies = {Policy::model}, .repeats = count});
  EXPECT_EQ(made.curves[0].median[0], 0.5);  // nobody knows anything
  EXPECT_LT(made.curves[0].median.back(), 0.4);
  // Shares of 30 points tie, also with the ends of the band, so that it may hold more than it claims.
  const std::vector<PolicyTrial> trials = realised(study, study, Policy::model, count);
  for (const std::size_t at : {50U, 100U})
    EXPECT_GT(shares_at(made.curves[0], at, trials).within, 0.8 - sampling_error(0.8, count)) << at;
}

TEST(PriorTruth, HasTheCovarianceOfThePrior) {
  constexpr int draws = 4000;
  const Study study = study_of(campaign_study("", "amplitude = 2\nlengthscale = 0.7\nmean = 5"), 12);
  const PriorTruth prior(study);
  Matrix covariance = Matrix::Zero(12, 12);
  for (int k = 0; k < draws; ++k) {
    const Vector f = prior.draw(static_cast<std::uint32_t>(k))->truth(study.offer()).array() - 5.0;
    covariance += f * f.transpose() / draws;
  }
  const Matrix expected =
      StudyLearner(study).prior_given({}).kernel->cross(study.pool().points(), study.pool().points());
  EXPECT_LT((covariance - expected).cwiseAbs().maxCoeff(), 5.0 * 4.0 * std::sqrt(2.0 / draws));
}

// Two goal points between pool points, one at a pool point.
Study study_with_goal(const std::string& text) {
  const Folder folder;
  folder.write("pool.csv", line_pool(24));
  folder.write("wanted.csv", "x,weight\n0.1,3\n-3,1\n0.9,2\n");
  return Study::open(
      folder.write("study.toml", testing::with_given_model(text) + "[goal]\nfile = \"wanted.csv\"\n"));
}

TEST(PriorTruth, IsDrawnAtTheGoalTogetherWithThePool) {
  constexpr int draws = 4000;
  const Study study = study_with_goal(campaign_study("", "amplitude = 2\nlengthscale = 0.7\nmean = 5"));
  const PriorTruth prior(study);
  Matrix covariance = Matrix::Zero(27, 27);
  for (int k = 0; k < draws; ++k) {
    const auto truth = prior.draw(static_cast<std::uint32_t>(k));
    Vector f(27);
    f << truth->truth(study.offer()), truth->goal()->truth;
    EXPECT_EQ(f(25), f(0)) << "the same place";
    f.array() -= 5.0;
    covariance += f * f.transpose() / draws;
  }
  Points places(27, 1);
  places << study.pool().points(), study.goal()->points;
  const Matrix expected = StudyLearner(study).prior_given({}).kernel->cross(places, places);
  EXPECT_LT((covariance - expected).cwiseAbs().maxCoeff(), 5.0 * 4.0 * std::sqrt(2.0 / draws));
  EXPECT_NEAR(prior.draw(0)->goal()->weights(0), 0.5, 1e-15);
}

TEST(Forecast, IsOfTheErrorAtTheGoal) {
  const Study study = study_with_goal(campaign_study("budget = 6\nseed = 2", "lengthscale = 0.7"));
  const Forecast made = *forecast(study, {.policies = {Policy::goal, Policy::random}, .repeats = 60});
  EXPECT_EQ(made.where, "over the points of [goal]");
  EXPECT_TRUE(
      forecast_text(made).starts_with("forecast: root mean square error over the points of [goal] against"));
  EXPECT_NEAR(made.curves[0].median.front(), 0.9, 0.35);  // of three values of variance 1, by weight
  EXPECT_LT(made.curves[0].median.back(), 0.5 * made.curves[1].median.back());
  const std::vector<PolicyTrial> trials = realised(study, study, Policy::goal, 60);
  for (const std::size_t at : {0U, 50U, 100U})
    EXPECT_NEAR(shares_at(made.curves[0], at, trials).within, 0.8, sampling_error(0.8, 60)) << at;
}

TEST(Forecast, OfClassesIsOfTheErrorAtTheGoal) {
  const Study study = study_with_goal(class_campaign_study("budget = 6\nseed = 2", "amplitude = 2"));
  const Forecast made = *forecast(study, {.policies = {Policy::goal}, .repeats = 20});
  EXPECT_EQ(made.where, "over the points of [goal]");
  EXPECT_EQ(made.curves[0].median[0], 0.5);
  EXPECT_LT(made.curves[0].median.back(), 0.5);
}

TEST(Forecast, TakesAnEvenlySpreadSampleOfALargePool) {
  const Study study = study_of(campaign_study("budget = 2"), 900);
  const Study tried = forecast_study(study);
  EXPECT_EQ(tried.pool().size(), forecast_points);
  for (Index row = 0; row < tried.pool().size(); ++row)
    EXPECT_EQ(tried.pool().id(row), std::to_string(3 * row));
  const Forecast made = *forecast(study, {.policies = {Policy::random}, .repeats = 2});
  EXPECT_EQ(made.points, 300);
  EXPECT_EQ(made.pool, 900);
  EXPECT_NE(forecast_text(made).find("300 of the 900 pool points"), std::string::npos);
}

TEST(Forecast, SaysWhereTheSampleIsBoughtUp) {
  const Study study = study_of(campaign_study("budget = 301"), 310);
  const Forecast made = *forecast(study, {.policies = {Policy::random}, .repeats = 1});
  ASSERT_EQ(made.remarks.size(), 2U);
  EXPECT_EQ(
      made.remarks[1],
      "random has bought all 300 points before the money was spent; on the whole pool it would continue");
}

// A study that has begun with answers about a truth drawn from its prior.
struct KnownWorld {
  Folder folder;
  std::shared_ptr<const TruthTable> truth;

  Study study(std::uint64_t seed, bool binary) {
    const std::string campaign = fmt::format("budget = {}\nseed = {}", binary ? 6 : 8, seed),
                      model = binary ? "amplitude = 2\nlengthscale = 0.7" : "lengthscale = 0.7";
    const auto text = [&](const std::string& more) {
      return binary ? class_campaign_study(campaign + more, model) : campaign_study(campaign + more, model);
    };
    folder.write("pool.csv", line_pool(24));
    const Study nothing_known = Study::open(folder.write("study.toml", testing::with_given_model(text(""))));
    truth = PriorTruth(nothing_known).draw(999);
    numerics::Draws draws(seed, numerics::Purpose::data);
    std::string known = "id,y,alpha\n";
    for (const int row : {2, 6, 9, 13, 20}) {
      const Level level = nothing_known.level_of(row % 2 == 0 ? 1.0 : binary ? 0.5 : 4.0);
      known +=
          fmt::format("{},{},{}\n", row,
                      noisy_answer(truth->at(row, "").value, channel_at(level, binary ? 0.0 : 0.01), draws),
                      *level.alpha);
    }
    folder.write("known.csv", known);
    return Study::open(
        folder.write("study.toml", testing::with_given_model(text("\ninitial = { file = \"known.csv\" }"))));
  }
};

// How often a truth that gave the known answers lies below, within and above the band that was forecast from
// them. Truth and draws are alike, so of `repeats` draws and the truth each is as likely to be the k-th: with
// 11 of them the band goes from the 2nd to the 10th, and the shares are 2/12, 8/12 and 2/12.
std::vector<Shares> shares_where_some_is_known(bool binary, int worlds) {
  std::vector<Shares> shares(3);
  for (int k = 0; k < worlds; ++k) {
    KnownWorld world;
    const Study study = world.study(static_cast<std::uint64_t>(k), binary);
    const Forecast made = *forecast(study, {.policies = {Policy::model}, .repeats = 11});
    const PolicyTrial trial = *try_policy(study, Policy::model, 500, world.truth, std::atomic<bool>(false));
    for (std::size_t i = 0; i < 3; ++i) {
      const Shares one = shares_at(made.curves[0], 50 * i, {trial});
      shares[i].below += one.below / worlds;
      shares[i].within += one.within / worlds;
      shares[i].above += one.above / worlds;
    }
  }
  return shares;
}

TEST(Forecast, HoldsAsOftenAsItClaimsWhereSomeIsKnown) {
  const int worlds = testing::tries(40, 150);
  const auto off_by = [worlds](double share) { return 4.0 * std::sqrt(share * (1.0 - share) / worlds); };
  for (const Shares& shares : shares_where_some_is_known(false, worlds)) {
    EXPECT_NEAR(shares.below, 2.0 / 12.0, off_by(2.0 / 12.0));
    EXPECT_NEAR(shares.within, 8.0 / 12.0, off_by(8.0 / 12.0));
    EXPECT_NEAR(shares.above, 2.0 / 12.0, off_by(2.0 / 12.0));
  }
}

TEST(Forecast, OfClassesHoldsAsOftenAsItClaimsWhereSomeIsKnown) {
  const int worlds = testing::tries(25, 80);
  const auto off_by = [worlds](double share) { return 4.0 * std::sqrt(share * (1.0 - share) / worlds); };
  // Shares of 24 points tie, so that the band may hold more than it claims.
  for (const Shares& shares : shares_where_some_is_known(true, worlds)) {
    EXPECT_LT(shares.below, 2.0 / 12.0 + off_by(2.0 / 12.0));
    EXPECT_GT(shares.within, 8.0 / 12.0 - off_by(8.0 / 12.0));
    EXPECT_LT(shares.above, 2.0 / 12.0 + off_by(2.0 / 12.0));
  }
}

TEST(Forecast, GoesOnFromWhatIsKnownAndPaidFor) {
  KnownWorld world;
  const Study study = world.study(3, false);
  double cost = 0.0;
  for (const Annotation& known : study.read_annotations(study.file().initial.file)) cost += known.cost;
  const Forecast made = *forecast(study, {.policies = {Policy::random}, .repeats = 2});
  EXPECT_EQ(made.known, 5);
  EXPECT_DOUBLE_EQ(made.curves[0].money.front(), cost);
  EXPECT_EQ(made.curves[0].money.back(), 8.0);
  EXPECT_NE(forecast_text(made).find("2 truths drawn from what is believed after 5 answers"),
            std::string::npos);
}

TEST(Forecast, OfACampaignIsThatOfAStudyThatKnowsTheSame) {
  KnownWorld world;
  const Study study = world.study(3, false);
  Campaign campaign(Study::open(study.file().path), make_memory_event_store());
  const TrialOptions options{.policies = {Policy::model, Policy::random}, .repeats = 3};
  const Forecast of_study = *forecast(study, options), of_campaign = *forecast(campaign, options);
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_EQ(of_campaign.curves[p].money, of_study.curves[p].money);
    EXPECT_EQ(of_campaign.curves[p].median, of_study.curves[p].median);
  }
  // An answer more, and it goes on from there; what is pending is not waited for.
  Answer answer;
  answer.id = campaign.ask().suggestions.at(0).id;
  answer.values = {0.0};
  campaign.tell({answer});
  campaign.ask();
  const Forecast later = *forecast(campaign, options);
  EXPECT_EQ(later.known, 6);
  EXPECT_DOUBLE_EQ(later.curves[0].money.front(), campaign.state().spent());
  EXPECT_LT(later.curves[0].median.front(), of_campaign.curves[0].median.front());
  EXPECT_EQ(later.remarks.back(), "one suggestion that is pending is ignored");
}

TEST(Forecast, SaysWhereNothingMoreCanBeBought) {
  KnownWorld world;
  const Study study = world.study(3, false);
  double cost = 0.0;
  for (const Annotation& known : study.read_annotations(study.file().initial.file)) cost += known.cost;
  StudyVariant spent;
  spent.budget = cost;
  const Forecast made = *forecast(study.variant(spent), {.policies = {Policy::model}, .repeats = 2});
  EXPECT_EQ(made.remarks,
            std::vector<std::string>{"nothing more can be bought: the error is the one to expect now"});
  const std::string text = forecast_text(made);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
}

TEST(PriorTruth, GivenAnswersHasTheMarginalsOfThePosterior) {
  constexpr int draws = 4000;
  KnownWorld world;
  const Study study = world.study(5, false);
  const StudyModel model = StudyLearner(study).model_given(study.read_annotations(study.file().initial.file));
  const Observations seen(model.observations, study.pool().points());
  const Marginals expected = GpPosterior(model.prior, seen).predict(study.pool().points());
  const PriorTruth truths(study, model);
  Vector mean = Vector::Zero(study.pool().size()), square = mean;
  for (int k = 0; k < draws; ++k) {
    const Vector f = truths.draw(static_cast<std::uint32_t>(k))->truth(study.offer());
    mean += f / draws;
    square += (f - expected.mean).cwiseAbs2() / draws;
  }
  for (Index row = 0; row < mean.size(); ++row) {
    EXPECT_NEAR(mean(row), expected.mean(row), 5.0 * std::sqrt(expected.variance(row) / draws)) << row;
    EXPECT_NEAR(square(row), expected.variance(row), 5.0 * expected.variance(row) * std::sqrt(2.0 / draws))
        << row;
  }
}

TEST(PriorTruth, AClassThatWasToldByOneWhoIsNeverWrongIsThatClass) {
  const Folder folder;
  folder.write("pool.csv", line_pool(6));
  const Study study =
      Study::open(folder.write("study.toml", testing::with_given_model(class_campaign_study())));
  StudyModel model = StudyLearner(study).model_given({}, std::optional<Learned>());
  model.observations = {{Place(Index{2}), -1.0, FlipChannel{1.0}}, {Place(Index{4}), 1.0, FlipChannel{0.6}}};
  const PriorTruth truths(study, model);
  int positive = 0;
  for (std::uint32_t k = 0; k < 1000; ++k) {
    EXPECT_EQ(truths.draw(k)->at(2, "").value, -1.0);
    positive += truths.draw(k)->at(4, "").value > 0.0;
  }
  EXPECT_NEAR(positive, 1000 * 0.6, 200);  // less by what is known of its neighbour
  EXPECT_GT(positive, 300);
}

const std::string given_bias = "bias = { offset_sd = 1.5, smooth_sd = 0.6, lengthscale = 0.5 }";

std::string biased_study(const std::string& bias, const std::string& campaign = "budget = 40\nseed = 2") {
  return "[campaign]\n" + campaign +
         "\n[pool]\nfile = \"pool.csv\"\n"
         "[[level]]\nname = \"coarse\"\nnoise_sd = 0.4\ncost = 1\n" +
         bias + "\n[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 6\nreference = true\n";
}

TEST(PriorTruth, LevelsWithBiasDifferByAnOffsetAndASmoothFunction) {
  constexpr int draws = 4000;
  const Study study = study_of(biased_study(given_bias), 10);
  const PriorTruth prior(study);
  Matrix of_error = Matrix::Zero(10, 10), with_f = of_error;
  for (std::uint32_t k = 0; k < draws; ++k) {
    const auto truth = prior.draw(k);
    const Vector f = truth->truth(study.offer());
    Vector error(10);
    for (Index row = 0; row < 10; ++row) {
      EXPECT_EQ(truth->at(row, "fine").value, f(row));
      const TruthTable::Entry entry = truth->at(row, "coarse");
      EXPECT_FALSE(entry.has_noise || entry.noise);  // that of the study is added
      error(row) = entry.value - f(row);
    }
    of_error += error * error.transpose() / draws;
    with_f += error * f.transpose() / draws;
  }
  StationaryKernelOptions options =
      dynamic_cast<const StationaryKernel&>(*StudyLearner(study).prior_given({}).kernel).options();
  options.amplitude = 0.6;
  options.lengthscale *= 0.5;
  const Points x = StudyLearner(study).prior_given({}).scaling.apply(study.pool().points());
  const Matrix expected = StationaryKernel(options).cross(x, x).array() + 1.5 * 1.5;
  EXPECT_LT((of_error - expected).cwiseAbs().maxCoeff(), 5.0 * expected(0, 0) * std::sqrt(2.0 / draws));
  EXPECT_LT(with_f.cwiseAbs().maxCoeff(), 5.0 * std::sqrt(expected(0, 0) / draws));
}

TEST(PriorTruth, OfABiasThatIsLearnedOnlyTheWhitePartIsNoise) {
  const Study study = study_of(biased_study("bias = \"learn\""), 5);
  const std::optional<double> noise = PriorTruth(study).draw(0)->at(3, "coarse").noise;
  ASSERT_TRUE(noise);
  EXPECT_NEAR(std::sqrt(*noise), 0.4 * std::exp(-1.0), 1e-12);
}

TEST(PriorTruth, GivenAnswersBiasesHaveTheMarginalsOfThePosterior) {
  constexpr int draws = 4000;
  const Study study = study_of(biased_study(given_bias), 12);
  std::vector<Annotation> known;
  const auto add = [&](Index row, Index level, double value) {
    known.push_back(study.annotation(row, 0.0, level, value, 1.0));
  };
  add(1, 0, 2.3), add(1, 1, 0.4), add(8, 0, 1.1), add(10, 1, -0.5);
  const StudyModel model = StudyLearner(study).model_given(known, std::optional<Learned>());
  const PriorTruth truths(study, model);
  const GpPosterior posterior(model.prior, Observations(model.observations, study.pool().points()));
  for (const int bias : {0, 1}) {
    const Marginals expected = posterior.predict_part(study.pool().points(), bias);
    Vector mean = Vector::Zero(12), square = mean;
    for (std::uint32_t k = 0; k < draws; ++k)
      for (Index row = 0; row < 12; ++row) {
        const double value = truths.draw(k)->at(row, bias == 0 ? "fine" : "coarse").value;
        mean(row) += value / draws;
        square(row) += (value - expected.mean(row)) * (value - expected.mean(row)) / draws;
      }
    for (Index row = 0; row < 12; ++row) {
      const double variance = expected.variance(row);
      EXPECT_NEAR(mean(row), expected.mean(row), 5.0 * std::sqrt(variance / draws)) << bias << ' ' << row;
      EXPECT_NEAR(square(row), variance, 5.0 * variance * std::sqrt(2.0 / draws)) << bias << ' ' << row;
    }
  }
}

TEST(Forecast, OfLevelsWithBiasHoldsAsOftenAsItClaims) {
  constexpr int count = 100;
  const Study study = study_of(biased_study(given_bias), 20);
  const Forecast made = *forecast(study, {.policies = {Policy::goal}, .repeats = count});
  const std::vector<PolicyTrial> trials = realised(study, study, Policy::goal, count);
  for (const std::size_t at : {50U, 100U}) {
    const Shares shares = shares_at(made.curves[0], at, trials);
    EXPECT_NEAR(shares.within, 0.8, sampling_error(0.8, count)) << at;
  }
  EXPECT_LT(made.curves[0].median.back(), 0.5 * made.curves[0].median.front());
}

TEST(Forecast, AnswersOfALevelWithBiasCarryIt) {
  // Twenty answers with a white error of 0.4 would leave f with less than that; the offset stays.
  const Study study = study_of(biased_study(given_bias), 20);
  const Forecast made = *forecast(study, {.policies = {Policy::cheapest}, .repeats = 40});
  EXPECT_GT(made.curves[0].median.back(), 0.45);
}

TEST(Forecast, OfACampaignThatHasLearnedBiasesAlsoTriesThemWithout) {
  Campaign campaign(
      study_of(biased_study("bias = \"learn\"", "budget = 60\nseed = 2") + "[model]\nfit = 4\n", 12),
      make_memory_event_store());
  for (int k = 0; k < 9; ++k) {
    const Suggestion asked = campaign.ask().suggestions.at(0);
    Answer answer;
    answer.id = asked.id;
    answer.values = {std::sin(asked.inputs[0]) + (asked.level.name == "coarse" ? 0.5 : 0.0)};
    campaign.tell({answer});
  }
  ASSERT_TRUE(campaign.state().fitted());
  const Forecast made = *forecast(campaign, {.policies = {Policy::goal, Policy::no_bias}, .repeats = 3});
  ASSERT_EQ(made.curves.size(), 2U);
  EXPECT_EQ(made.known, 9);
  EXPECT_EQ(made.curves[0].money.front(), made.curves[1].money.front());
}

TEST(Forecast, SaysWhatItAssumesAboutBiases) {
  const TrialOptions options{.policies = {Policy::random}, .repeats = 2};
  const std::string given = forecast_text(*forecast(study_of(biased_study(given_bias), 8), options));
  EXPECT_NE(
      given.find("note: level \"coarse\" is assumed to be off by an offset (sd 1.5) and a smooth "
                 "difference (sd 0.6), drawn with every truth, and a white part (sd 0.4) that is new at "
                 "every answer\n"),
      std::string::npos)
      << given;
  EXPECT_NE(given.find("note: the error is that of f, what level \"fine\" would answer without noise\n"),
            std::string::npos)
      << given;
  const std::string learned =
      forecast_text(*forecast(study_of(biased_study("repeat = \"same\"\nbias = \"learn\""), 8), options));
  EXPECT_NE(
      learned.find("an offset (sd 0.8) and a smooth difference (sd 0.4), drawn with every truth, and a "
                   "white part (sd 0.147) that is new at every point and the same if asked again; these "
                   "sizes are what is known of them now, campaigns learn them anew\n"),
      std::string::npos)
      << learned;
}

TEST(Forecast, IsNothingWhereItWasStoppedAndNeedsABudget) {
  const std::atomic<bool> stop(true);
  EXPECT_FALSE(forecast(study_of(campaign_study("budget = 2")),
                        {.policies = {Policy::random}, .repeats = 2, .stop = &stop}));
  EXPECT_THROW(forecast(study_of(campaign_study()), {.policies = {Policy::random}}), InputError);
}

TEST(Forecast, IsWrittenForPeople) {
  Forecast made{.curves = {{.policy = Policy::model, .money = {}, .low = {}, .median = {}, .high = {}}},
                .repeats = 7,
                .known = 0,
                .points = 5,
                .pool = 5,
                .error_measure = "root mean square error",
                .unit = "hours",
                .remarks = {}};
  for (int k = 0; k <= 100; ++k) {
    made.curves[0].money.push_back(k);
    made.curves[0].low.push_back(0.5);
    made.curves[0].median.push_back(1.0);
    made.curves[0].high.push_back(2.25);
  }
  const std::string text = forecast_text(made);
  EXPECT_TRUE(
      text.starts_with("forecast: root mean square error over the pool against money, median and 10 to "
                       "90 % of 7 truths drawn from the prior\n"
                       "hours            model\n"
                       "   10  1 (0.5 to 2.25)\n"))
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 12);
}

const PolicyTrial falling{
    .policy = Policy::model, .repeat = 0, .steps = {{0.0, 8.0}, {1.0, 4.0}, {3.0, 2.0}, {4.0, 3.0}}};
const PolicyTrial failing{.policy = Policy::model, .repeat = 1, .steps = {{0.0, 8.0}, {4.0, 7.0}}};

TEST(PolicyCurves, MoneyBuysWholeAnnotations) {
  EXPECT_EQ(error_at(falling, 0.0), 8.0);
  EXPECT_EQ(error_at(falling, 0.99), 8.0);
  EXPECT_EQ(error_at(falling, 1.0), 4.0);
  EXPECT_EQ(error_at(falling, 2.9), 4.0);
  EXPECT_EQ(error_at(falling, 100.0), 3.0);
  const std::vector<PolicyCurve> curves = policy_curves({falling, failing}, 4.0, 0.0, 1.0);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].money[75], 3.0);
  EXPECT_EQ(curves[0].low[75], 2.0);
  EXPECT_EQ(curves[0].median[75], 5.0);
  EXPECT_EQ(curves[0].high[75], 8.0);
}

TEST(PolicyCurves, TheCostOfAnErrorIsWhereItIsReachedFirst) {
  const std::vector<PolicySummary> all = summaries({falling, falling, failing}, 2.5);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_DOUBLE_EQ(all[0].reached, 2.0 / 3.0);
  EXPECT_EQ(all[0].cost.first, 3.0);
  EXPECT_EQ(all[0].cost.median, 3.0);
  EXPECT_EQ(all[0].cost.third, infinity);
  EXPECT_EQ(all[0].final_error.median, 3.0);
  EXPECT_EQ(all[0].annotations, 3.0);
}

TEST(PolicyCurves, TheErrorOfAPolicyInTheEndIsReachedByMoreThanHalf) {
  EXPECT_EQ(final_error({falling, falling, failing}, Policy::model), 3.0);
  EXPECT_EQ(final_error({falling, failing}, Policy::model), 7.0);
  EXPECT_EQ(summaries({falling, failing}, 7.0)[0].cost.median, 2.5);
  EXPECT_THROW(final_error({falling}, Policy::bald), std::invalid_argument);
}

TEST(PolicyCurves, QuartilesOfInfinitiesAreNeverNoNumbers) {
  const Quartiles none = quartiles({infinity, infinity, infinity});
  EXPECT_EQ(none.first, infinity);
  EXPECT_EQ(none.third, infinity);
  const Quartiles some = quartiles({infinity, 1.0, 2.0, 3.0, infinity});
  EXPECT_EQ(some.first, 2.0);
  EXPECT_EQ(some.median, 3.0);
  EXPECT_EQ(some.third, infinity);
  EXPECT_EQ(quartiles({4.0}).first, 4.0);
}

}  // namespace
}  // namespace acuity::forecast_test
