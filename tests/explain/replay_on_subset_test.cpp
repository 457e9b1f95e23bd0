// The events of a campaign, replayed on a subset of its pool.
#include "explain/replay_on_subset.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/memory_campaigns.hpp"

namespace acuity::replay_on_subset_test {
namespace {

using testing::MemoryCampaign;

constexpr int pool_points = 24;
const std::vector<Index> every_third{0, 3, 6, 9, 12, 15, 18, 21};

double answer_to(const Suggestion& asked) {
  return std::sin(asked.inputs[0]);
}

Campaign on_part(const Campaign& campaign) {
  std::unique_ptr<EventStore> store = make_memory_event_store();
  store->add(0, [&](const auto&) { return replay_on_subset(campaign, every_third); });
  StudyVariant part;
  part.rows = every_third;
  return Campaign(campaign.study().variant(part), std::move(store), {.threads = 1});
}

// Answers, one of them at another point than was asked for, one taken back, a failure that cost something, a
// point that cannot work, and something pending.
class Eventful : public MemoryCampaign {
 public:
  explicit Eventful(const std::string& model = "")
      : MemoryCampaign(testing::two_level_study("budget = 60", model, "repeat = true"),
                       testing::pool_on_a_line(pool_points, 12.0)) {
    MemoryCampaign& campaign = *this;
    campaign.go(8, answer_to);
    campaign.tell(5, "fine", 0.3);
    campaign.tell(6, "coarse", -0.3);
    campaign->retract(2, "spilt");
    campaign->fail(
        {.id = campaign->ask().suggestions.at(0).id, .reason = "broke", .charge = 0.5, .exclude = true});
    campaign->change_budget(3.0);
    campaign->ask();
  }
};

TEST(ReplayOnSubset, KeepsAnswersThatWereNotAskedFor) {
  Eventful campaign;
  campaign->release(campaign->state().pending(), "for the comparison");
  const Level fine = campaign->study().level_named("fine");
  std::vector<Answer> answers(3);
  answers[0].row = 7;  // not in the subset
  answers[1].row = 9;
  answers[2].inputs = std::vector{4.321};
  for (Answer& answer : answers) answer.values = {0.25}, answer.level = fine;
  const std::vector<TellResult> added = campaign->add(answers);
  EXPECT_EQ(added.back().id, static_cast<std::int64_t>(campaign->state().suggestions().size()));
  Campaign part = on_part(*campaign);
  EXPECT_EQ(part.state().spent(), campaign->state().spent());
  const Marginals whole = campaign->belief().marginals(), some = part.belief().marginals();
  for (std::size_t k = 0; k < every_third.size(); ++k) {
    EXPECT_NEAR(some.mean(static_cast<Index>(k)), whole.mean(every_third[k]), 1e-9);
    EXPECT_NEAR(some.variance(static_cast<Index>(k)), whole.variance(every_third[k]), 1e-9);
  }
}

TEST(ReplayOnSubset, GivesTheSameBeliefOnTheSubset) {
  for (const char* model : {"", "fit = 4"}) {
    Eventful campaign(model);
    campaign->release(campaign->state().pending(), "for the comparison");
    Campaign part = on_part(*campaign);
    const Marginals whole = campaign->belief().marginals(), some = part.belief().marginals();
    for (std::size_t k = 0; k < every_third.size(); ++k) {
      const auto row = static_cast<Index>(k);
      EXPECT_NEAR(some.mean(row), whole.mean(every_third[k]), 1e-9) << model << k;
      EXPECT_NEAR(some.variance(row), whole.variance(every_third[k]), 1e-9) << model << k;
    }
  }
}

TEST(ReplayOnSubset, KeepsBudgetAndCharges) {
  Eventful campaign;
  ASSERT_EQ(campaign->state().pending().size(), 1U);
  const Campaign part = on_part(*campaign);
  EXPECT_DOUBLE_EQ(part.state().spent(), campaign->state().spent());
  EXPECT_DOUBLE_EQ(part.state().budget(), 63.0);
  EXPECT_EQ(part.state().annotations(), campaign->state().annotations());
  EXPECT_TRUE(part.state().pending().empty());
  EXPECT_DOUBLE_EQ(part.state().free(), 63.0 - campaign->state().spent());
}

TEST(ReplayOnSubset, KeepsExclusionsInTheSubset) {
  MemoryCampaign campaign(testing::two_level_study(), testing::pool_on_a_line(pool_points, 12.0));
  std::set<Index> inside;
  for (int k = 0; k < 9; ++k) {
    const Suggestion asked = campaign->ask().suggestions.at(0);
    campaign->fail({.id = asked.id, .reason = "broke", .charge = 0.0, .exclude = true});
    if (asked.row % 3 == 0) inside.insert(asked.row / 3);
  }
  ASSERT_FALSE(inside.empty());
  std::set<Index> excluded;
  const Campaign part = on_part(*campaign);
  for (const Excluded& one : part.state().excluded()) excluded.insert(one.row);
  EXPECT_EQ(excluded, inside);
}

TEST(ReplayOnSubset, StartsAStudyFromItsInitialAnswersWithLearnedHyperparameters) {
  const testing::Folder folder;
  folder.write("pool.csv", testing::pool_on_a_line(pool_points, 12.0));
  folder.write("known.csv", "id,y,level\n3,0.5,fine\n7,0.1,coarse\n8,0.2,fine\n20,-1,fine\n");
  const Study study = Study::open(folder.write(
      "study.toml", testing::two_level_study("budget = 60\ninitial = { file = \"known.csv\" }", "fit = 2")));
  const State state = state_of(initial_events_on_subset(study, every_third));
  EXPECT_EQ(state.annotations(), 4);
  EXPECT_EQ(state.spent(), 19.0);
  EXPECT_EQ(state.find(1)->row(), 1);
  EXPECT_EQ(state.find(2)->row(), -1);
  ASSERT_TRUE(state.fitted());
  EXPECT_EQ(state.fitted()->annotations, 4);
}

}  // namespace
}  // namespace acuity::replay_on_subset_test
