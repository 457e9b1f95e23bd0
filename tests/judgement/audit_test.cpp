// The audit: answers at points drawn at random, bought last, kept from the model until all have come.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "acuity/base/errors.hpp"
#include "acuity/campaign/campaign.hpp"
#include "campaign/audit.hpp"
#include "campaign/state_queries.hpp"
#include "judgement/audit_verdict.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

namespace acuity::audit_test {
namespace {

double truth(double x) {
  return std::sin(3.0 * x);
}

// 40 points on a line, levels for 1 and 5, a budget of 60 and an audit of 4.
std::string study_text(const std::string& audit, const std::string& more, int budget) {
  return fmt::format("[campaign]\nbudget = {}\n", budget) +
         "seed = 3\ninitial = 4\n[pool]\nfile = \"pool.csv\"\nid = \"item\"\n" + more +
         "[[level]]\nname = \"rough\"\nnoise_sd = 0.3\ncost = 1\n"
         "[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 5\n" +
         audit;
}

class AuditedCampaign {
 public:
  explicit AuditedCampaign(const std::string& audit, const std::string& more = "", int budget = 60) {
    std::string pool = "item,x\n";
    for (int k = 0; k < 40; ++k) pool += fmt::format("i{},{}\n", k, 0.05 * k);
    folder_.write("pool.csv", pool);
    folder_.write("goal.csv", "x\n1.5\n1.6\n1.7\n1.8\n");
    campaign_.emplace(
        Study::open(folder_.write("study.toml", testing::with_given_model(study_text(audit, more, budget)))),
        make_memory_event_store(), CampaignOptions{.threads = 1});
  }
  Campaign& operator*() { return *campaign_; }
  Campaign* operator->() { return &*campaign_; }

  // Asks and tells until nothing is left; returns all suggestions. `miss`: how far the audit's answers are
  // off.
  std::vector<Suggestion> run(double miss = 0.0, std::int64_t at_once = 1) {
    std::vector<Suggestion> all;
    while (true) {
      const AskResult asked = campaign_->ask({.count = at_once});
      for (const Suggestion& one : asked.suggestions) {
        all.push_back(one);
        tell(one, miss);
      }
      if (asked.suggestions.empty()) return all;
    }
  }
  void tell(const Suggestion& one, double miss = 0.0) {
    Answer answer;
    answer.id = one.id;
    answer.values = {truth(one.inputs[0]) + (one.audit ? miss : 0.0)};
    campaign_->tell({answer});
  }

 private:
  testing::Folder folder_;
  std::optional<Campaign> campaign_;
};

const std::string four = "[audit]\nanswers = 4\n";

TEST(Audit, IsBoughtLastAtTheReferenceLevelAndPaidFromTheBudget) {
  AuditedCampaign campaign(four);
  const std::vector<Suggestion> all = campaign.run();
  ASSERT_GT(all.size(), 8U);
  std::set<Index> rows;
  bool has_begun = false;
  for (const Suggestion& one : all) {
    EXPECT_FALSE(has_begun && !one.audit);
    if (!one.audit) continue;
    has_begun = true;
    EXPECT_EQ(one.level.name, "fine");
    EXPECT_TRUE(rows.insert(one.row).second);
  }
  EXPECT_EQ(rows.size(), 4U);
  EXPECT_LE(campaign->state().spent(), 60.0);
  EXPECT_GT(campaign->state().spent(), 54.0);
}

TEST(Audit, KeepsItsMoneyFromTheChoices) {
  AuditedCampaign campaign(four);
  EXPECT_DOUBLE_EQ(campaign->candidates().remaining(), 40.0);
  EXPECT_DOUBLE_EQ(campaign->state().free(), 60.0);
}

TEST(Audit, IsNotSeenByTheModelBeforeAllAnswersHaveCome) {
  AuditedCampaign campaign(four);
  std::int64_t known = 0;
  std::vector<Suggestion> audit;
  while (audit.size() < 4) {
    const AskResult asked = campaign->ask();
    ASSERT_EQ(asked.suggestions.size(), 1U);
    const Suggestion one = asked.suggestions.front();
    if (one.audit) {
      if (audit.empty()) known = campaign->state().annotations();
      audit.push_back(one);
    }
    campaign.tell(one);
    if (one.audit) {
      EXPECT_EQ(campaign->state().annotations(), known);
      EXPECT_EQ(static_cast<std::int64_t>(campaign->annotations().size()), known);
    }
  }
  EXPECT_FALSE(campaign->state().audited());
  EXPECT_EQ(campaign->ask().status, AskStatus::finished);
  ASSERT_TRUE(campaign->state().audited());
  EXPECT_EQ(campaign->state().audited()->ids.size(), 4U);
  EXPECT_EQ(campaign->state().annotations(), known + 4);
  EXPECT_EQ(static_cast<std::int64_t>(campaign->annotations().size()), known + 4);
}

TEST(Audit, RecordsThePredictionsOfTheModelWithoutItsAnswers) {
  AuditedCampaign right(four), wrong(four);
  right.run();
  wrong.run(5.0);
  // The same predictions, whatever the answers were.
  EXPECT_EQ(right->state().audited()->mean, wrong->state().audited()->mean);
  EXPECT_EQ(right->state().audited()->variance, wrong->state().audited()->variance);
}

TEST(Audit, ThatIsMissedSaysTooNarrowAndOneThatIsHitSaysThereIsNoSignOfIt) {
  AuditedCampaign hit("[audit]\nanswers = 8\n", "", 120), missed("[audit]\nanswers = 8\n", "", 120);
  hit.run();
  missed.run(5.0);
  const CalibrationVerdict good = *verdict_on_audit(*hit), bad = *verdict_on_audit(*missed);
  EXPECT_EQ(good.about_name(), "audit");
  EXPECT_EQ(good.words(), "no sign that they are too narrow");
  EXPECT_TRUE(bad.words().starts_with("too narrow by a factor of about")) << bad.words();
  const AuditResult result = *audit_result(missed->study(), missed->state());
  EXPECT_NEAR(result.error, 5.0, 0.5);
  EXPECT_LT(result.low, result.error);
  EXPECT_GT(result.high, result.error);
  EXPECT_NE(bad.reason.find("with 90 % probability"), std::string::npos) << bad.reason;
}

TEST(Audit, IsDrawnAtPointsOfTheGoal) {
  AuditedCampaign campaign(four, "[goal]\nfile = \"goal.csv\"\n[acquisition]\ninformation = \"goal\"\n");
  for (const Suggestion& one : campaign.run()) {
    if (one.audit) {
      EXPECT_GE(one.inputs[0], 1.5 - 1e-9);
      EXPECT_LE(one.inputs[0], 1.8 + 1e-9);
    }
  }
}

TEST(Audit, GivesTheSamePointsInOneAskAsInMany) {
  AuditedCampaign one_by_one(four), together(four);
  const auto points = [](const std::vector<Suggestion>& all) {
    std::vector<std::string> names;
    for (const Suggestion& one : all)
      if (one.audit) names.push_back(one.point);
    return names;
  };
  EXPECT_EQ(points(one_by_one.run()), points(together.run(0.0, 3)));
}

TEST(Audit, KeepsItsPointsFromTheChoicesSoThatThereAreSomeWhenThePoolIsUsedUp) {
  AuditedCampaign campaign(four, "", 500);
  const std::vector<Suggestion> all = campaign.run();
  EXPECT_EQ(all.size(), 40U);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const Suggestion& one) { return one.audit; }), 4);
  EXPECT_TRUE(all.back().audit);
}

TEST(Audit, OfAnotherLevelIsBoughtThere) {
  AuditedCampaign campaign("[audit]\nanswers = 4\nlevel = \"rough\"\n");
  EXPECT_DOUBLE_EQ(campaign->candidates().remaining(), 56.0);
  for (const Suggestion& one : campaign.run()) {
    if (one.audit) {
      EXPECT_EQ(one.level.name, "rough");
    }
  }
}

TEST(Audit, AsksForAnotherPointIfOneFails) {
  AuditedCampaign campaign(four);
  std::set<Index> failed, told;
  while (true) {
    const AskResult asked = campaign->ask();
    if (asked.suggestions.empty()) break;
    const Suggestion one = asked.suggestions.front();
    if (one.audit && failed.empty()) {
      failed.insert(one.row);
      campaign->fail({.id = one.id, .reason = "it broke"});
      continue;
    }
    if (one.audit) told.insert(one.row);
    campaign.tell(one);
  }
  EXPECT_EQ(told.size(), 4U);
  EXPECT_FALSE(told.contains(*failed.begin()));
}

TEST(Audit, CountsNothingForTheInitialDesignAndReplaysToTheSameState) {
  AuditedCampaign campaign(four);
  campaign.run();
  State state;
  for (const StoredEvent& stored : campaign->events()) state.apply(stored);
  EXPECT_EQ(state.answered(), campaign->state().answered());
  EXPECT_EQ(state.annotations(), campaign->state().annotations());
  EXPECT_EQ(state.told_or_pending(), static_cast<std::int64_t>(campaign->state().suggestions().size()) - 4);
}

TEST(Audit, WithoutTheSectionChangesNothing) {
  AuditedCampaign without(""), none("[audit]\nanswers = 0\n");
  const std::vector<Suggestion> a = without.run(), b = none.run();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a[k].row, b[k].row);
  EXPECT_FALSE(verdict_on_audit(*without));
}

TEST(Audit, RefusesLevelsThatCannotDecide) {
  const auto message = [](const std::string& audit, const std::string& levels) -> std::string {
    try {
      read_study_text("[campaign]\nbudget = 60\n[pool]\nfile = \"pool.csv\"\n" + levels + audit);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string levels =
      "[[level]]\nname = \"coarse\"\ncost = 1\nnoise_sd = 0.1\nbias = \"learn\"\n"
      "[[level]]\nname = \"fine\"\ncost = 5\nnoise_sd = 0.01\n";
  EXPECT_EQ(message("[audit]\nanswers = 8\nlevel = \"best\"\n", levels),
            "audit.level is \"best\", must be one of \"coarse\" or \"fine\"");
  EXPECT_EQ(message("[audit]\nanswers = 8\nlevel = \"coarse\"\n", levels),
            "audit.level is \"coarse\", must be a level without bias: others cannot tell how far f is off");
  EXPECT_EQ(message("[audit]\nanswers = 8\nlevel = \"fine\"\n",
                    "[[level]]\nname = \"now\"\ncost = 5\nnoise_sd = 0.01\n"
                    "[[level]]\nname = \"fine\"\nretired = true\nnoise_sd = 0.01\n"),
            "audit.level is \"fine\", must be a level that can be bought: this one is retired");
  EXPECT_NE(message("[audit]\nanswers = -1\n", levels), "");
  EXPECT_NE(message("[audit]\npoints = 8\n", levels), "");
  EXPECT_EQ(message("[audit]\nanswers = 8\nlevel = \"fine\"\n", levels), "");
}

}  // namespace
}  // namespace acuity::audit_test
