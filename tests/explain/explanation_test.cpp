#include "explain/explanation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "acuity/campaign/campaign.hpp"
#include "acuity/selection/full_scan.hpp"
#include "campaign/state_queries.hpp"
#include "numerics/random.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::explanation_test {
namespace {

// A study of three levels with prices and precisions of its own, and a campaign of some answers.
class Random {
 public:
  Random(std::uint32_t seed, bool binary) : draws_(11, numerics::Purpose::data, seed) {
    std::string pool = "x,z\n";
    for (int i = 0; i < 40; ++i)
      pool += std::to_string(draws_.uniform(0, 4)) + "," + std::to_string(draws_.uniform(0, 4)) + "\n";
    folder_.write("pool.csv", pool);
    std::string study = "[pool]\nfile = \"pool.csv\"\n[campaign]\nbudget = 60\nseed = 3\n";
    if (binary) study += "[target]\nkind = \"binary\"\n";
    double precision = binary ? 0.6 : draws_.uniform(0.5, 1.5), cost = 1.0;
    for (const char* name : {"coarse", "medium", "fine"}) {
      study += std::string("[[level]]\nname = \"") + name + "\"\n" +
               (binary ? "accuracy = " : "noise_sd = ") + std::to_string(precision) +
               "\ncost = " + std::to_string(cost) + "\n";
      precision = binary ? precision + draws_.uniform(0.05, 0.19) : precision * draws_.uniform(0.2, 0.7);
      cost *= draws_.uniform(1.2, 6.0);
    }
    campaign_.emplace(Study::open(folder_.write("study.toml", testing::with_given_model(study))),
                      make_memory_event_store(), CampaignOptions{.threads = 1});
    const int steps = static_cast<int>(draws_.below(8));
    for (int k = 0; k < steps; ++k)
      for (const Suggestion& s : campaign_->ask().suggestions) {
        Answer answer;
        answer.id = s.id;
        answer.values = {binary ? (draws_.uniform() < 0.5 ? -1.0 : 1.0)
                                : std::sin(s.inputs[0]) + draws_.normal()};
        if (k % 3 != 2) campaign_->tell({answer});  // some stay pending
      }
  }
  Campaign& campaign() { return *campaign_; }

 private:
  testing::Folder folder_;
  numerics::Draws draws_;
  std::optional<Campaign> campaign_;
};

// The level that is chosen with this one instead of what is on offer.
std::string chosen_with(Campaign& campaign, const Level& instead) {
  StudyModel model = campaign.model();
  for (Level& level : model.offer.levels)
    if (level.name == instead.name) level = instead;
  const auto best = select_by_full_scan(campaign.belief().marginals(), model.offer, model.acquisition,
                                        campaign.candidates(), {.threads = 1});
  return best ? model.offer.levels[static_cast<std::size_t>(best->level)].name : "";
}

void check_flips(std::uint32_t seed, bool binary) {
  Random random(seed, binary);
  Campaign& campaign = random.campaign();
  const NextExplanation next = explain_next(campaign, 1);
  ASSERT_TRUE(next.explanation);
  const std::string chosen = next.explanation->chosen.level.name;
  ASSERT_EQ(next.explanation->counterfactuals.size(), 3U);
  for (const Explanation::Counterfactual& one : next.explanation->counterfactuals) {
    const std::string& name = one.level.name;
    const auto wins = [&](const Level& level) { return chosen_with(campaign, level) == name; };
    if (one.price) {
      Level below = one.level, above = one.level;
      below.cost = *one.price * (1 - 1e-6);
      above.cost = *one.price * (1 + 1e-6);
      EXPECT_TRUE(wins(below)) << seed << " " << name << " chosen " << chosen;
      EXPECT_FALSE(wins(above)) << seed << " " << name << " chosen " << chosen;
    }
    if (one.noise_sd) {
      Level below = one.level, above = one.level;
      below.channel = GaussianChannel{*one.noise_sd * *one.noise_sd * (1 - 1e-6)};
      above.channel = GaussianChannel{*one.noise_sd * *one.noise_sd * (1 + 1e-6)};
      EXPECT_TRUE(wins(below)) << seed << " " << name << " chosen " << chosen;
      EXPECT_FALSE(wins(above)) << seed << " " << name << " chosen " << chosen;
    }
    if (one.accuracy) {
      Level below = one.level, above = one.level;
      below.channel = FlipChannel{*one.accuracy - 1e-7};
      above.channel = FlipChannel{std::min(1.0, *one.accuracy + 1e-7)};
      EXPECT_FALSE(wins(below)) << seed << " " << name << " chosen " << chosen;
      EXPECT_TRUE(wins(above)) << seed << " " << name << " chosen " << chosen;
    }
    EXPECT_TRUE(one.price) << "every level has a price at which the choice flips";
  }
}

TEST(Explanation, PricesAndNoisesOfRegressionFlipTheChoice) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) check_flips(seed, false);
}

TEST(Explanation, PricesAndAccuraciesOfClassesFlipTheChoice) {
  for (std::uint32_t seed = 0; seed < 15; ++seed) check_flips(seed, true);
}

TEST(Explanation, OfASuggestionIsWhatWasBelievedWhenItWasMade) {
  Random random(5, false);
  Campaign& campaign = random.campaign();
  const NextExplanation before = explain_next(campaign, 1);
  const Suggestion made = campaign.ask().suggestions.front();
  EXPECT_EQ(before.explanation->chosen.point, made.point);
  Answer answer;
  answer.id = made.id;
  answer.values = {5.0};
  campaign.tell({answer});
  const Explanation after = explain(campaign, made.id, 1);
  EXPECT_NEAR(after.chosen.variance, before.explanation->chosen.variance, 1e-12);
  EXPECT_NEAR(after.levels.front().information, before.explanation->levels.front().information, 1e-12);
  EXPECT_EQ(after.pending, before.explanation->pending);
  EXPECT_NEAR(after.levels.front().information, made.information, 1e-12);
  EXPECT_TRUE(after.levels.front().chosen);
}

// What the answer is expected to do is what it does: in regression the variance does not depend on it.
TEST(Explanation, SaysWhatTheAnswerWillDo) {
  Random random(7, false);
  Campaign& campaign = random.campaign();
  const Explanation expected = *explain_next(campaign, 1).explanation;
  const Suggestion made = campaign.ask().suggestions.front();
  Answer answer;
  answer.id = made.id;
  answer.values = {0.3};
  campaign.tell({answer});
  const Marginals after = campaign.belief().marginals();
  EXPECT_NEAR(std::sqrt(after.variance(made.row)), expected.sd_after, 1e-10);
  EXPECT_NEAR(after.variance.cwiseSqrt().mean(), expected.pool_sd_after, 1e-10);
  EXPECT_LT(expected.pool_sd_after, expected.pool_sd_before);
}

TEST(Explanation, ReadsAsText) {
  Random random(2, false);
  const std::string text =
      to_text(*explain_next(random.campaign(), 1).explanation, random.campaign().study());
  for (const char* part : {"Why this point.", "Why this level.", "What would change the choice.", "<- chosen",
                           "would not be chosen if it cost over", "would be chosen"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace
}  // namespace acuity::explanation_test
