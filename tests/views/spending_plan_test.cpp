// What check says about levels with bias and goals.
#include "views/spending_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "explain/break_even_report.hpp"
#include "support/memory_campaigns.hpp"
#include "views/campaign_data.hpp"

namespace acuity::testing::spending_plan_test {
namespace {

std::string study_of(const std::string& coarse, const std::string& more = "", double budget = 200.0) {
  return with_given_model(
      fmt::format("[campaign]\nseed = 1\nbudget = {}\n[pool]\nfile = \"pool.csv\"\n{}"
                  "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n{}"
                  "[[level]]\nname = \"medium\"\nnoise_sd = 0.2\ncost = 4\n"
                  "[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 20\n",
                  budget, more, coarse));
}

bool mentions(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

class Opened {
 public:
  explicit Opened(const std::string& study) {
    folder_.write("pool.csv", pool_on_a_line(30, 8.0));
    study_.emplace(Study::open(folder_.write("study.toml", study)));
  }
  const Study& study() const { return *study_; }
  StudyModel model() const { return StudyLearner(*study_).model_given({}, std::nullopt); }
  BreakEvenReport break_even() const { return break_even_report(*study_, model()); }
  SpendingPlan plan() const { return spending_plan(*study_, model(), *study_->file().budget); }

 private:
  Folder folder_;
  std::optional<Study> study_;
};

const std::string biased = "bias = { offset_sd = 0.6, smooth_sd = 0.8 }\n";

// Under the criterion "variance" levels change at s = (n2 C2 - n1 C1) / (C1 - C2).
TEST(BreakEvenOfAGoal, IsByTheVarianceCriterion) {
  const Opened opened(study_of("", "[goal]\nbox = { x = [0, 2] }\n"));
  const BreakEvenReport report = opened.break_even();
  EXPECT_EQ(report.left_out, "");
  EXPECT_EQ(report.unit, "variance");
  const auto crossing = [](double n1, double c1, double n2, double c2) {
    return std::sqrt((n2 * c2 - n1 * c1) / (c1 - c2));
  };
  const double fine = crossing(0.0004, 20, 0.04, 4), medium = crossing(0.04, 4, 0.25, 1);
  ASSERT_EQ(report.intervals.size(), 3U) << to_text(report, "");
  EXPECT_EQ(report.intervals[0].level.name, "fine");
  EXPECT_NEAR(report.intervals[0].to_sd, fine, 1e-9);
  EXPECT_EQ(report.intervals[1].level.name, "medium");
  EXPECT_NEAR(report.intervals[1].to_sd, medium, 1e-9);
  EXPECT_EQ(report.intervals[2].level.name, "coarse");
  EXPECT_TRUE(mentions(opened.plan().sentences, "goal points of the box of [goal]: by the fall"));
}

// The selection agrees: the pool is so sparse that an answer is about its own point alone.
TEST(BreakEvenOfAGoal, IsThatOfTheSelection) {
  const Opened opened(study_of("", "[acquisition]\ninformation = \"goal\"\n"));
  const BreakEvenReport report = opened.break_even();
  const StudyModel model = opened.model();
  const std::unique_ptr<PoolBelief> belief = StudyLearner(opened.study()).belief(model);
  const Marginals& prior = belief->marginals();
  std::vector<double> worth(3);
  const std::vector<Index> levels{0, 1, 2};
  model.acquisition.information->worth(prior, model.offer, 4, 5, levels, worth.data());
  std::size_t best = 0;
  for (std::size_t k = 0; k < 3; ++k)
    if (worth[k] / model.offer.levels[k].cost > worth[best] / model.offer.levels[best].cost) best = k;
  EXPECT_EQ(report.intervals.back().level.name, model.offer.levels[best].name);
}

TEST(BreakEvenOfBiasedLevels, IsLeftOut) {
  const Opened opened(study_of(biased));
  const BreakEvenReport report = opened.break_even();
  EXPECT_TRUE(report.intervals.empty());
  EXPECT_TRUE(report.prices.empty());
  EXPECT_TRUE(report.left_out.starts_with("levels with bias have no break-even")) << report.left_out;
  EXPECT_EQ(to_text(report, ""), "");
  for (const char* information : {"model", "bald", "random"}) {
    const Opened other(study_of(biased, fmt::format("[acquisition]\ninformation = \"{}\"\n", information)));
    EXPECT_TRUE(other.break_even().intervals.empty());
  }
}

TEST(BreakEvenOfBiasedLevels, ThePageSaysWhyThereIsNoFigure) {
  MemoryCampaign campaign(study_of(biased), pool_on_a_line(30, 8.0));
  campaign.tell(3, "coarse", 0.5);
  const CampaignData data = campaign_data(*campaign);
  EXPECT_FALSE(data.break_even);
  EXPECT_FALSE(data.why_no_break_even.empty());
  EXPECT_TRUE(mentions(data.warnings, "is an assumption"));
}

TEST(SpendingPlan, SaysWhatABiasDoes) {
  const SpendingPlan plan = Opened(study_of(biased)).plan();
  EXPECT_TRUE(mentions(plan.sentences,
                       "level \"coarse\" has a bias: however many answers it has, alone they leave f with a "
                       "sd of about 1 "))
      << fmt::format("{}", fmt::join(plan.sentences, "\n"));
  EXPECT_TRUE(mentions(plan.sentences, "30 goal points of the pool"));
  EXPECT_TRUE(plan.warnings.empty());
  EXPECT_TRUE(Opened(study_of("")).plan().sentences.empty());
}

TEST(SpendingPlan, SaysHowMuchCanBeSpent) {
  // Coarse once at each of 30 points, and one of the others.
  EXPECT_DOUBLE_EQ(spendable(Opened(study_of(biased)).study()), 30.0 * (1.0 + 20.0));
  EXPECT_TRUE(mentions(Opened(study_of(biased, "", 1000.0)).plan().sentences,
                       "so 370 of the budget of 1000 cannot be spent"));
  EXPECT_FALSE(mentions(Opened(study_of(biased)).plan().sentences, "cannot be spent"));
}

TEST(SpendingPlan, CountsNoLevelThatIsRetired) {
  const Opened opened(study_of(biased,
                               "[[level]]\nname = \"old\"\nnoise_sd = 0.5\ncost = 100\n"
                               "bias = { offset_sd = 0.6, smooth_sd = 0.8 }\nretired = true\n",
                               1000.0));
  EXPECT_DOUBLE_EQ(spendable(opened.study()), 30.0 * (1.0 + 20.0));
  EXPECT_TRUE(mentions(opened.plan().sentences, "30 points at 3 levels cost at most 630"))
      << fmt::format("{}", fmt::join(opened.plan().sentences, "\n"));
}

TEST(SpendingPlan, SaysThatChoicesAreNotForAGoalBesideAnotherInformation) {
  const std::string contour = "[goal]\ncontour = 0.5\n", random = "[acquisition]\ninformation = \"random\"\n";
  EXPECT_TRUE(
      mentions(Opened(study_of("", contour + random)).plan().sentences,
               "choices are not for [goal], because acquisition.information is \"random\": where f is "
               "above 0.5 is only reported"));
  EXPECT_TRUE(mentions(Opened(study_of("", "[goal]\nbox = { x = [0, 2] }\n" + random)).plan().sentences,
                       "the error there is only reported"));
  EXPECT_FALSE(mentions(Opened(study_of("", contour)).plan().sentences, "only reported"));
}

TEST(SpendingPlan, SaysThatEveryLevelFeedsTheNextInAChain) {
  const std::string any = "relation = \"any\"\n";
  const auto said = [&](const std::string& levels) {
    const Opened opened("[campaign]\nseed = 1\nbudget = 200\n[pool]\nfile = \"pool.csv\"\n" + levels +
                        "[[level]]\nname = \"fine\"\nnoise_sd = 0.02\ncost = 20\n");
    return fmt::format("{}", fmt::join(opened.plan().sentences, "\n"));
  };
  const std::string coarse =
                        "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\nbias = \"learn\"\n" + any,
                    medium =
                        "[[level]]\nname = \"medium\"\nnoise_sd = 0.2\ncost = 4\nbias = \"learn\"\n" + any;
  EXPECT_NE(said(coarse).find("fine is modelled as any function of the inputs and of what coarse answers"),
            std::string::npos)
      << said(coarse);
  EXPECT_NE(said(coarse + medium)
                .find("every level up to fine is modelled as any function of the inputs and of "
                      "what the level before it answers"),
            std::string::npos)
      << said(coarse + medium);
}

TEST(SpendingPlan, WarnsIfTheReferenceLevelIsNotAffordable) {
  EXPECT_TRUE(mentions(Opened(study_of(biased, "", 39.0)).plan().warnings,
                       "the budget pays for 1 answer at level \"fine\", must be 2 or more"));
  EXPECT_TRUE(Opened(study_of(biased, "", 41.0)).plan().warnings.empty()) << "there is one input";
}

}  // namespace
}  // namespace acuity::testing::spending_plan_test
