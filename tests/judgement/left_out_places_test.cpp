#include "judgement/left_out_places.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "acuity/study/study_learner.hpp"
#include "campaign/last_fit.hpp"
#include "support/memory_campaigns.hpp"

namespace acuity::left_out_places_test {
namespace {

// Errors of so many independent places whose standard deviation is `factor` times the one claimed.
LeftOutPlaces drawn(int count, double factor, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  LeftOutPlaces places;
  for (int k = 0; k < count; ++k)
    places.scores.push_back(
        {.error = factor * normal(random) + noise * normal(random), .variance = 1.0, .noise = noise * noise});
  places.counted = count;
  return places;
}

TEST(LeftOutPlaces, FindTheFactorOfF) {
  for (const double factor : {0.6, 1.0, 1.6}) {
    const FactorOfF found = drawn(400, factor, 0.2, 1).factor();
    EXPECT_NEAR(found.median, factor, 0.1 * factor);
    EXPECT_LT(found.low, factor);
    EXPECT_GT(found.high, factor);
    EXPECT_EQ(found.is_good > 0.9, factor == 1.0);
    EXPECT_EQ(found.is_narrow > 0.9, factor == 1.6);
    EXPECT_EQ(found.is_wide > 0.9, factor == 0.6);
  }
}

TEST(LeftOutPlaces, KnowNothingAboutFWhereNoiseHidesIt) {
  for (const double factor : {0.6, 1.6}) {
    const FactorOfF found = drawn(60, factor, 10.0, 2).factor();
    EXPECT_LT(found.low, 0.75);
    EXPECT_GT(found.high, 1.4);
    EXPECT_LT(found.is_narrow, 0.9);
    EXPECT_LT(found.is_wide, 0.9);
  }
}

TEST(LeftOutPlaces, AreRightAsOftenAsTheySay) {
  int inside = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const FactorOfF found = drawn(20, 1.0, 0.5, seed).factor();
    inside += found.low <= 1.0 && 1.0 <= found.high ? 1 : 0;
  }
  EXPECT_GT(inside, 170);
}

TEST(LeftOutPlaces, CountNeighboursOnce) {
  LeftOutPlaces places = drawn(400, 1.6, 0.0, 3);
  const FactorOfF independent = places.factor();
  places.counted = 10;
  EXPECT_GT(places.factor().high / places.factor().low, 1.3 * independent.high / independent.low);
}

// At the end `predict` learns from all answers, and the log has what was learned before.
TEST(LeftOutPlaces, AreOfTheModelThatPredicts) {
  const testing::Folder folder;
  folder.write("pool.csv", testing::pool_on_a_line(40, 6.0));
  Campaign campaign(
      Study::open(folder.write(
          "study.toml",
          "[campaign]\nbudget = 27\nseed = 2\n[pool]\nfile = \"pool.csv\"\n[model]\nstructure = \"plain\"\n"
          "average = 1\n[[level]]\nname = \"only\"\nnoise_sd = 0.1\ncost = 1\n")),
      make_memory_event_store(), {.threads = 1});
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (AskResult asked = campaign.ask(); !asked.suggestions.empty(); asked = campaign.ask()) {
    Answer answer;
    answer.id = asked.suggestions.front().id;
    answer.values = {std::sin(2.0 * asked.suggestions.front().inputs[0]) + 0.4 * normal(random)};
    campaign.tell({answer});
  }
  const State& state = campaign.state();
  ASSERT_LT(state.fitted()->annotations, state.annotations());
  const StudyModel now = model_for_predictions(campaign, 1);
  ASSERT_NE(now.nugget, campaign.model().nugget);
  const AveragedModel predicts = StudyLearner(campaign.study()).averaged(now, campaign.annotations(), 1);
  const LeftOutPlaces places = left_out_places(campaign.study(), state);
  ASSERT_FALSE(places.scores.empty());
  EXPECT_NEAR(places.scores.front().noise, predicts.draws().front().observations.noise()(0), 1e-12);
}

}  // namespace
}  // namespace acuity::left_out_places_test
