// Predictions of a campaign that is over use all of its answers; its log stays as it is.
#include "campaign/last_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/memory_campaigns.hpp"

namespace acuity::last_fit_test {
namespace {

using testing::MemoryCampaign;

double answer(const Suggestion& asked) {
  return std::sin(1.7 * asked.inputs[0]) + 0.1 * std::cos(static_cast<double>(asked.id));
}

MemoryCampaign learning_campaign() {
  return {testing::two_level_study("budget = 16\ninitial = { count = 4, level = \"coarse\" }", "fit = 10\n"),
          testing::pool_on_a_line(40, 6.0)};
}

// At the cheaper level, so that the budget buys sixteen answers.
void buy(MemoryCampaign& campaign, int count) {
  for (int k = 0; k < count; ++k)
    for (const Suggestion& asked : campaign->ask({.level = "coarse"}).suggestions) {
      Answer told;
      told.id = asked.id;
      told.values = {answer(asked)};
      campaign->tell({told});
    }
}

Vector parameters(const StudyModel& model) {
  return model.prior.kernel->log_parameters();
}

TEST(LastFit, PredictionsOfASpentBudgetUseAllAnswers) {
  MemoryCampaign campaign = learning_campaign();
  buy(campaign, 12);
  ASSERT_TRUE(campaign->state().fitted());
  EXPECT_EQ(parameters(model_for_predictions(*campaign, 1)), parameters(campaign->model()))
      << "there is money left";
  buy(campaign, 20);
  const std::int64_t last = campaign->state().fitted()->annotations;
  ASSERT_LT(last, campaign->state().annotations());
  const StudyModel before = campaign->model(), model = model_for_predictions(*campaign, 1);
  EXPECT_EQ(model.observations.size(), static_cast<std::size_t>(campaign->state().annotations()));
  EXPECT_GT((parameters(model) - parameters(before)).norm(), 1e-6);
  const Learned learned =
      StudyLearner(campaign->study()).learn_from(campaign->annotations(), {}, 1, &*before.learned, last);
  EXPECT_EQ(parameters(model), learned.prior.kernel->log_parameters());
}

TEST(LastFit, DoesNotChangeTheLogOrLaterChoices) {
  MemoryCampaign seen = learning_campaign(), unseen = learning_campaign();
  buy(seen, 30);
  buy(unseen, 30);
  const std::size_t events = seen->events().size();
  model_for_predictions(*seen, 1);
  EXPECT_EQ(seen->events().size(), events);
  const auto next = [](MemoryCampaign& campaign) {
    return campaign->ask({.count = 3, .worker = {}, .lease = {}, .budget = 20.0}).suggestions;
  };
  const std::vector<Suggestion> one = next(seen), other = next(unseen);
  ASSERT_EQ(one.size(), 3U);
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_EQ(one[k].row, other[k].row);
    EXPECT_EQ(one[k].level.name, other[k].level.name);
    EXPECT_EQ(one[k].variance, other[k].variance);
  }
}

}  // namespace
}  // namespace acuity::last_fit_test
