// What answers report of their own cost, and what becomes of choices and money.
#include "campaign/reported_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "campaign/state_queries.hpp"
#include "conduct/simulated_pool.hpp"
#include "explain/explanation.hpp"
#include "explain/replay_on_subset.hpp"
#include "numerics/random.hpp"
#include "support/reporting_campaigns.hpp"

namespace acuity::reported_cost_test {
namespace {

using testing::Folder;

struct Settings {
  double coarse = 1.0, fine = 4.0;  // prices
  double budget = 1000.0;
  std::string campaign = {};           // further keys
  std::string model = "fit = 1000\n";  // hyperparameters are given and stay as they are
};

Study study_of(const Settings& settings) {
  return testing::study_on_a_line(
      fmt::format("[campaign]\nbudget = {}\n{}", settings.budget, settings.campaign) +
      "[pool]\nfile = \"pool.csv\"\nrepeat = true\n[model]\n" + settings.model +
      fmt::format("[[level]]\nname = \"coarse\"\nnoise_sd = 0.3\ncost = {}\n", settings.coarse) +
      fmt::format("[[level]]\nname = \"fine\"\nnoise_sd = 0.1\ncost = {}\n", settings.fine) +
      "[acquisition]\ninformation = \"model\"\nplan = \"none\"\n");  // as of a full scan
}

Campaign campaign_of(const Settings& settings) {
  return Campaign(study_of(settings), make_memory_event_store());
}

// Answers cost `factor` times the price of their level, within 20 % to both sides, and say so.
class Reporting {
 public:
  Reporting(double coarse, double fine) : coarse_(coarse), fine_(fine) {}

  Answer operator()(const Study& study, const Suggestion& asked) {
    Answer answer;
    answer.id = asked.id;
    answer.values = {std::sin(asked.inputs[0]) + 0.1 * draws_.normal()};
    const double factor = asked.level.name == "coarse" ? coarse_ : fine_;
    answer.cost =
        study.level_named(asked.level.name).cost * factor * (1.0 + 0.2 * (2.0 * draws_.uniform() - 1.0));
    return answer;
  }

 private:
  double coarse_, fine_;
  numerics::Draws draws_{5, numerics::Purpose::data, 1};
};

Answer silent(const Suggestion& asked) {
  Answer answer;
  answer.id = asked.id;
  answer.values = {std::sin(asked.inputs[0])};
  return answer;
}

TEST(LearnedCost, IsAMeanInWhichThePriceCountsAsThreeAnswers) {
  const LevelCost one = learned_cost(1.0, {2.0});
  EXPECT_DOUBLE_EQ(one.expected, 5.0 / 4.0);
  // The variance of 1, 1, 1, 2 is 1 / 4.
  EXPECT_NEAR(one.reserved, 1.25 + 1.28155 * 0.5, 1e-5);
  const LevelCost many = learned_cost(1.0, std::vector<double>(997, 2.0));
  EXPECT_NEAR(many.expected, 1.997, 1e-12);
  EXPECT_LT(many.reserved, 2.1) << "the price is forgotten";
  EXPECT_GT(learned_cost(1.0, {0.0}).reserved, learned_cost(1.0, {0.0}).expected);
}

TEST(ReportedCost, WithoutReportsNothingChanges) {
  Campaign campaign = campaign_of({}), off = campaign_of({.campaign = "learn_costs = false\n"});
  for (int k = 0; k < 12; ++k) {
    const Suggestion asked = campaign.ask().suggestions.at(0), other = off.ask().suggestions.at(0);
    EXPECT_EQ(asked.row, other.row);
    EXPECT_EQ(asked.level.name, other.level.name);
    EXPECT_EQ(asked.cost, other.cost);
    EXPECT_EQ(asked.information, other.information);
    EXPECT_FALSE(campaign.state().find(asked.id)->asked.reserve);
    EXPECT_EQ(campaign.state().escrow(), asked.cost);
    // A cost that is reported as declared is no news, and neither are replicates.
    Answer answer = silent(asked);
    if (k % 3 == 1) answer.cost = asked.cost;
    if (k % 3 == 2) answer.values.assign(3, answer.values[0]);
    campaign.tell({answer});
    off.tell({answer});
    EXPECT_TRUE(campaign.model().costs.empty());
  }
  EXPECT_TRUE(reported_costs(campaign.study(), campaign.state()).empty());
  EXPECT_EQ(campaign.state().spent(), off.state().spent());
}

TEST(ReportedCost, ReplicatesCountPerValue) {
  Campaign campaign = campaign_of({});
  const Suggestion asked = campaign.ask().suggestions.at(0);
  Answer answer = silent(asked);
  answer.values.assign(2, answer.values[0]);
  answer.cost = 4.0 * asked.cost;
  campaign.tell({answer});
  const ReportedCost found = reported_costs(campaign.study(), campaign.state()).at(0);
  EXPECT_EQ(found.count, 2);
  EXPECT_DOUBLE_EQ(found.reported, 2.0 * found.declared);
  EXPECT_DOUBLE_EQ(found.used.expected, 7.0 / 5.0 * found.declared);
}

TEST(ReportedCost, ASilentAnswerIsChargedTheExpectedCostAndTellsNothing) {
  Campaign campaign = campaign_of({.fine = 400.0});
  Answer first = silent(campaign.ask().suggestions.at(0));
  first.cost = 2.0;
  campaign.tell({first});
  const Suggestion asked = campaign.ask().suggestions.at(0);
  ASSERT_EQ(asked.level.name, "coarse");
  EXPECT_DOUBLE_EQ(asked.cost, 1.25);
  EXPECT_NEAR(campaign.state().escrow(), 1.25 + 1.28155 * 0.5, 1e-5) << "the quantile is reserved";
  campaign.tell({silent(asked)});
  EXPECT_DOUBLE_EQ(campaign.state().spent(), 3.25);
  EXPECT_EQ(campaign.state().escrow(), 0.0);
  const ReportedCost found = reported_costs(campaign.study(), campaign.state()).at(0);
  EXPECT_EQ(found.count, 1);
  EXPECT_DOUBLE_EQ(found.used.expected, 1.25);
  campaign.retract(first.id, "the wrong cell");
  EXPECT_TRUE(campaign.model().costs.empty()) << "no valid answer reports a cost";
  EXPECT_EQ(campaign.ask().suggestions.at(0).cost, 1.0);
}

TEST(ReportedCost, IsNotLearnedWhereTheStudySaysSo) {
  for (const Settings& settings :
       {Settings{.campaign = "learn_costs = false\n"}, Settings{.model = "fit = \"never\"\n"}}) {
    Campaign campaign = campaign_of(settings);
    Reporting reporting(2.0, 2.0);
    for (int k = 0; k < 6; ++k) {
      const Suggestion asked = campaign.ask().suggestions.at(0);
      EXPECT_EQ(asked.cost, campaign.study().level_named(asked.level.name).cost);
      EXPECT_EQ(campaign.state().escrow(), asked.cost);
      campaign.tell({reporting(campaign.study(), asked)});
    }
    const auto found = reported_costs(campaign.study(), campaign.state());
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].used.expected, found[0].declared);
    EXPECT_NE(reported_cost_sentences(campaign.study(), found).at(0).find("campaign.learn_costs is false"),
              std::string::npos);
  }
  EXPECT_TRUE(campaign_of({.campaign = "learn_costs = true\n", .model = "fit = \"never\"\n"})
                  .study()
                  .file()
                  .learn_costs);
}

TEST(ReportedCost, ChoicesBecomeThoseOfAStudyThatDeclaresTheTrueCosts) {
  // At these prices coarse answers are the better bargain nearly everywhere as declared, and fine ones by the
  // true cost. Costs vary and the price counts as three answers, so a few choices near the break-even differ.
  const testing::Agreement found =
      testing::agreement(campaign_of({.fine = 8.0}), study_of({.coarse = 1.5, .fine = 8.0}),
                         study_of({.fine = 8.0}), Reporting(1.5, 1.0));
  EXPECT_GE(found.with_reported, found.of * 8 / 10);
  EXPECT_LT(found.with_declared, found.of / 2) << "or the test shows nothing";
}

TEST(ReportedCost, WhatIsReservedNeverExceedsTheBudgetAndSpendingOnlyByOneAnswer) {
  for (const double factor : {0.5, 1.5, 3.0}) {
    Campaign campaign = campaign_of({.budget = 60.0});
    Reporting reporting(factor, factor);
    double largest_excess = 0.0;
    while (true) {
      const AskResult result = campaign.ask();
      if (result.suggestions.empty()) break;
      const State& state = campaign.state();
      EXPECT_LE(state.spent() + state.escrow(), state.budget() * (1.0 + 1e-9));
      const Answer answer = reporting(campaign.study(), result.suggestions[0]);
      largest_excess = std::max(largest_excess, *answer.cost - state.escrow());
      const double before = state.spent();
      campaign.tell({answer});
      EXPECT_EQ(campaign.state().spent(), before + *answer.cost) << "the books are exact";
    }
    EXPECT_LE(campaign.state().spent(), 60.0 + largest_excess) << factor;
    EXPECT_GE(campaign.state().spent(), 60.0 - 3.0 * factor) << factor;
  }
}

// Every beginning of the log gives the costs and the choice that the campaign had at the time.
TEST(ReportedCost, EveryBeginningOfTheLogGivesTheSame) {
  Campaign campaign = campaign_of({});
  Reporting reporting(1.5, 0.7);
  for (int k = 0; k < 15; ++k) campaign.tell({reporting(campaign.study(), campaign.ask().suggestions.at(0))});
  std::vector<Event> before;
  for (const StoredEvent& stored : campaign.events()) {
    if (const auto* asked = std::get_if<Asked>(&stored.event)) {
      std::unique_ptr<EventStore> store = make_memory_event_store();
      store->add(0, [&](const auto&) { return before; });
      Campaign again(study_of({}), std::move(store));
      again.ask();
      const Asked& repeated = again.state().find(asked->id)->asked;
      EXPECT_EQ(repeated.row, asked->row);
      EXPECT_EQ(repeated.level, asked->level);
      EXPECT_EQ(repeated.cost, asked->cost);
      EXPECT_EQ(repeated.reserve, asked->reserve);
    }
    before.push_back(event_from_json(event_name(stored.event), to_json(stored.event)));
  }
}

TEST(ReportedCost, ABeliefThatAppendsChoosesLikeOneBuiltFromTheLog) {
  Campaign campaign = campaign_of({});
  CampaignBelief appended(campaign.study(), 1, {});
  appended.follow(campaign.state());
  Reporting reporting(1.5, 0.7);
  for (int k = 0; k < 20; ++k) {
    campaign.tell({reporting(campaign.study(), campaign.ask().suggestions.at(0))});
    appended.follow(campaign.state());
    CampaignBelief fresh(campaign.study(), 1, {});
    fresh.follow(campaign.state());
    EXPECT_EQ(appended.model().costs, fresh.model().costs);
    EXPECT_EQ(appended.model().costs, campaign.model().costs);
    testing::expect_same_choice(appended, fresh, campaign.candidates());
  }
}

TEST(ReportedCost, AVariantOfTheStudySeesTheSameCosts) {
  Campaign campaign = campaign_of({});
  Reporting reporting(1.5, 1.5);
  for (int k = 0; k < 10; ++k) campaign.tell({reporting(campaign.study(), campaign.ask().suggestions.at(0))});
  const Study variant = campaign.study().variant({.without_plan = true});
  EXPECT_EQ(level_costs(variant, campaign.state()), campaign.model().costs);
  const std::vector<Index> rows{0, 5, 10, 20, 30, 59};
  StudyVariant part;
  part.rows = rows;
  EXPECT_EQ(level_costs(campaign.study().variant(part), state_of(replay_on_subset(campaign, rows))),
            campaign.model().costs);
}

TEST(ReportedCost, TheSentenceNamesReportedDeclaredAndUsed) {
  Campaign campaign = campaign_of({.fine = 400.0});
  for (int k = 0; k < 15; ++k) {
    Answer answer = silent(campaign.ask().suggestions.at(0));
    answer.cost = 1.3;
    campaign.tell({answer});
  }
  const auto found = reported_costs(campaign.study(), campaign.state());
  const std::string sentence = "level coarse: answers cost 1.3 on average, declared 1; choices use 1.25";
  EXPECT_EQ(reported_cost_warnings(campaign.study(), found), std::vector<std::string>{sentence});
  const NextExplanation next = explain_next(campaign, 1);
  EXPECT_NE(to_text(*next.explanation, campaign.study()).find(sentence), std::string::npos);
}

TEST(ReportedCost, KnownAnswersOfAFileAreNoReports) {
  const Folder folder;
  folder.write("pool.csv", testing::pool_on_a_line(60, 8.0));
  folder.write("known.csv", "x,level,y,cost\n0.1,coarse,0.1,0\n0.7,coarse,0.4,0.5\n");
  const Study study = Study::open(folder.write(
      "study.toml", testing::with_given_model("[campaign]\nbudget = 100\ninitial = { file = \"known.csv\" }\n"
                                              "[pool]\nfile = \"pool.csv\"\n[model]\nfit = 1000\n[[level]]\n"
                                              "name = \"coarse\"\nnoise_sd = 0.3\ncost = 1\n")));
  Campaign campaign(study.variant({}), make_memory_event_store());
  EXPECT_EQ(campaign.state().annotations(), 2);
  EXPECT_TRUE(campaign.model().costs.empty());
}

}  // namespace
}  // namespace acuity::reported_cost_test
