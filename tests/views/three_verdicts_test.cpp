#include "views/three_verdicts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <regex>

#include "judgement/error_projection.hpp"
#include "numerics/random.hpp"
#include "support/memory_campaigns.hpp"

// The state of a verdict must point in the right direction where the truth is known.

namespace acuity::three_verdicts_test {
namespace {

using testing::MemoryCampaign;
using State = CampaignVerdict::State;

double normal(std::int64_t id) {
  numerics::Draws draws(11, numerics::Purpose::resampling, static_cast<std::uint64_t>(id));
  return draws.normal();
}

double truth(double x) {
  return std::sin(2.0 * x) + 0.3 * x;
}

// `declared`: noise_sd that the study says; `rest`: further tables.
std::string one_level(double declared, const std::string& rest = "",
                      const std::string& campaign = "budget = 60") {
  return fmt::format(
      "[campaign]\n{}\n[pool]\nfile = \"pool.csv\"\nrepeat = true\n[[level]]\nname = \"run\"\nnoise_sd = "
      "{}\ncost = 1\n{}",
      campaign, declared, rest);
}

struct Judged {
  std::vector<CampaignVerdict> verdicts;
  CampaignData data;
};

Judged judge(MemoryCampaign& campaign) {
  CampaignData data = campaign_data(*campaign);
  const NextExplanation next = explain_next(*campaign, 1);
  return {three_verdicts(*campaign, data, &next), std::move(data)};
}

Judged judge_after(int answers, double declared, double actual, const std::string& rest = "",
                   const std::string& campaign = "budget = 60") {
  MemoryCampaign played(one_level(declared, rest, campaign), testing::pool_on_a_line(60, 6.0));
  played.go(answers,
            [&](const Suggestion& asked) { return truth(asked.inputs[0]) + actual * normal(asked.id); });
  return judge(played);
}

TEST(ThreeVerdicts, TrustAWellSpecifiedModel) {
  const Judged judged = judge_after(45, 0.1, 0.1);
  ASSERT_EQ(judged.verdicts.size(), 3U);
  EXPECT_EQ(judged.verdicts[1].question, "May it be trusted?");
  EXPECT_EQ(judged.verdicts[1].state, State::good) << judged.verdicts[1].answer;
  EXPECT_TRUE(judged.verdicts[1].answer.starts_with("Yes: intervals are good, judged by "))
      << judged.verdicts[1].answer;
}

TEST(ThreeVerdicts, DoNotTrustUnderstatedNoise) {
  const Judged judged = judge_after(45, 0.1, 0.5);
  EXPECT_EQ(judged.verdicts[1].state, State::bad) << judged.verdicts[1].answer;
  EXPECT_TRUE(judged.verdicts[1].answer.starts_with("No: intervals are too narrow"))
      << judged.verdicts[1].answer;
  EXPECT_FALSE(judged.verdicts[1].advice.empty());
}

TEST(ThreeVerdicts, DoNotTrustABiasThatIsSoldAsNoise) {
  MemoryCampaign played(testing::two_level_study("budget = 300", "", "repeat = true"),
                        testing::pool_on_a_line(60, 6.0));
  for (Index row = 0; row < 24; row += 2) {
    const double x = played->study().pool().point(row)[0];
    played.tell(row, "coarse", truth(x) + 1.5 + 0.1 * normal(row));
    played.tell(row, "fine", truth(x) + 0.1 * normal(row + 1));
  }
  const Judged judged = judge(played);
  EXPECT_EQ(judged.verdicts[1].state, State::bad) << judged.verdicts[1].answer;
  EXPECT_NE(judged.verdicts[1].details.find("above fine"), std::string::npos) << judged.verdicts[1].details;
  EXPECT_FALSE(judged.verdicts[1].advice.empty());
}

std::ptrdiff_t numbers_in(const std::string& sentence) {
  static const std::regex number("[0-9]+([.][0-9]+)?");
  return std::distance(std::sregex_iterator(sentence.begin(), sentence.end(), number), {});
}

// One sentence with one number: how it was found out is a detail.
TEST(ThreeVerdicts, AreShortAndHaveTheirReasonsBehindThem) {
  for (const auto& [answers, actual] : {std::pair(3, 0.1), {20, 0.1}, {45, 0.1}, {45, 0.5}, {45, 0.001}}) {
    const CampaignVerdict trusted = judge_after(answers, 0.1, actual).verdicts[1];
    EXPECT_LE(std::count(trusted.answer.begin(), trusted.answer.end(), ' '), 19) << trusted.answer;
    if (answers > 3) {
      EXPECT_EQ(numbers_in(trusted.answer), 1) << trusted.answer;
    }
    EXPECT_EQ(trusted.answer.find('('), std::string::npos) << trusted.answer;
    EXPECT_FALSE(trusted.details.empty());
    for (const char* key : {"model.", " = ", "acuity ", "_"})
      EXPECT_EQ((trusted.answer + trusted.advice).find(key), std::string::npos) << trusted.advice;
  }
  EXPECT_EQ(judge_after(3, 0.1, 0.1).verdicts[1].answer.find("It cannot be told yet: "), 0U);
  const CampaignVerdict narrow = judge_after(45, 0.1, 0.5).verdicts[1];
  EXPECT_NE(narrow.details.find("within the 95 % interval"), std::string::npos) << narrow.details;
  EXPECT_TRUE(narrow.answer.starts_with("No: intervals are too narrow by a factor of about "));
}

TEST(ThreeVerdicts, SayThatThreeAnswersAreTooFew) {
  const Judged judged = judge_after(3, 0.1, 0.1);
  EXPECT_EQ(judged.verdicts[0].state, State::unknown);
  EXPECT_EQ(judged.verdicts[0].answer, "It cannot be told from 3 answers.");
  EXPECT_EQ(judged.verdicts[1].state, State::unknown) << judged.verdicts[1].answer;
  EXPECT_EQ(judged.verdicts[2].state, State::good) << judged.verdicts[2].answer;
}

TEST(ThreeVerdicts, CompareTheStandardDeviationWithTheOneThatTheStudyWants) {
  const Judged reached = judge_after(59, 0.1, 0.1, "[stop]\npredictive_sd = 0.06\n");
  EXPECT_EQ(reached.verdicts[0].state, State::good) << reached.verdicts[0].answer;
  ASSERT_TRUE(reached.data.course.errors.back().predictive_sd);
  EXPECT_LT(*reached.data.course.errors.back().predictive_sd, 0.06);
  EXPECT_NE(reached.verdicts[2].answer.find("Finished: the predictive standard deviation is"),
            std::string::npos)
      << reached.verdicts[2].answer;

  const Judged missed = judge_after(40, 0.1, 0.1, "[stop]\npredictive_sd = 0.001\n");
  EXPECT_EQ(missed.verdicts[0].state, State::bad) << missed.verdicts[0].answer;
  EXPECT_TRUE(missed.verdicts[0].answer.starts_with("Not yet: typically off by "))
      << missed.verdicts[0].answer;
  // The range is wider than a factor of 5, which tells nothing.
  EXPECT_TRUE(missed.verdicts[0].advice.starts_with("How much more it takes cannot be told yet"))
      << missed.verdicts[0].advice;
  EXPECT_NE(missed.verdicts[0].advice.find("the 20 left will not reach it"), std::string::npos)
      << missed.verdicts[0].advice;
  EXPECT_GT(*missed.data.course.errors.back().predictive_sd, 0.001);
}

// A model that claims to be good enough and is known to claim too much is not.
TEST(ThreeVerdicts, DoNotBelieveAClaimOfIntervalsThatAreTooNarrow) {
  const Judged judged = judge_after(45, 0.1, 0.6, "[stop]\npredictive_sd = 0.07\n");
  ASSERT_LT(*judged.data.course.errors.back().predictive_sd, 0.07);
  EXPECT_EQ(judged.verdicts[0].state, State::bad) << judged.verdicts[0].answer;
  EXPECT_TRUE(judged.verdicts[0].answer.starts_with("No: typically off by ")) << judged.verdicts[0].answer;
  EXPECT_GT(judged.data.typical_error->factor, 1.5) << "calibrated by the verdict";
}

TEST(ThreeVerdicts, BeginWithTheErrorToExpectOfTheModel) {
  const Judged judged = judge_after(40, 0.1, 0.1);
  EXPECT_EQ(judged.verdicts[0].state, State::unknown) << "the study states no goal";
  ASSERT_TRUE(judged.data.typical_error);
  EXPECT_EQ(
      judged.verdicts[0].answer,
      fmt::format("Typically off by {:.2g}, {:.2g} % of its range.", judged.data.typical_error->expected(),
                  100.0 * judged.data.typical_error->expected() / *judged.data.typical_error->range));
  EXPECT_EQ(judged.verdicts[0].advice.find("stop."), std::string::npos) << judged.verdicts[0].advice;
}

TEST(ThreeVerdicts, NameTheNextChoiceAndWhatWouldChangeIt) {
  MemoryCampaign played(testing::two_level_study("budget = 100\nunit = \"h\""),
                        testing::pool_on_a_line(30, 6.0));
  played.go(12, [](const Suggestion& asked) { return truth(asked.inputs[0]); });
  const Judged judged = judge(played);
  const Suggestion next = played->ask().suggestions.at(0);
  const CampaignVerdict& verdict = judged.verdicts[2];
  EXPECT_EQ(verdict.state, State::good);
  EXPECT_NE(verdict.answer.find(fmt::format("Ask about {} (", next.point)), std::string::npos)
      << verdict.answer;
  EXPECT_NE(verdict.answer.find(fmt::format("at level \"{}\", for {:.6g} h", next.level.name, next.cost)),
            std::string::npos)
      << verdict.answer;
  EXPECT_EQ(verdict.answer.find("nats"), std::string::npos) << verdict.answer;
  EXPECT_NE(verdict.advice.find("chosen"), std::string::npos) << verdict.advice;
}

TEST(ThreeVerdicts, SayWhyThereIsNothingToAsk) {
  const Judged spent = judge_after(10, 0.1, 0.1, "", "budget = 8");
  EXPECT_TRUE(spent.verdicts[2].answer.starts_with("Finished: the budget is spent"))
      << spent.verdicts[2].answer;
  EXPECT_NE(spent.verdicts[2].state, State::good);

  MemoryCampaign waiting(one_level(0.1, "", "budget = 8"), testing::pool_on_a_line(60, 6.0));
  ASSERT_EQ(waiting->ask({.count = 8}).suggestions.size(), 8U);
  const Judged judged = judge(waiting);
  EXPECT_TRUE(judged.verdicts[2].answer.starts_with("Nothing now: ")) << judged.verdicts[2].answer;
  EXPECT_EQ(judged.verdicts[2].state, State::unknown);
}

TEST(ThreeVerdicts, SayThatTheyAreNotComputedYet) {
  MemoryCampaign played(one_level(0.1), testing::pool_on_a_line(60, 6.0));
  played.go(9, [](const Suggestion& asked) { return truth(asked.inputs[0]); });
  for (const CampaignVerdict& one : three_verdicts(*played, quick_campaign_data(*played), nullptr)) {
    EXPECT_EQ(one.state, State::unknown);
    EXPECT_NE(one.answer.find("being computed"), std::string::npos);
  }
}

// ---- Projection ----------------------------------------------------------------------------------------

std::vector<SpentError> power_law(double exponent, double noise, int seed, int points = 20) {
  std::vector<SpentError> course;
  for (int k = 1; k <= points; ++k)
    course.push_back(
        {10.0 * k, 3.0 * std::pow(10.0 * k, -exponent) * std::exp(noise * normal(1000 * seed + k))});
  return course;
}

TEST(ErrorProjection, IsExactForAPowerLaw) {
  for (const double exponent : {0.3, 0.5, 1.0}) {
    const auto projected = projected_spending(power_law(exponent, 0.0, 1), 3.0 * std::pow(1000.0, -exponent));
    ASSERT_TRUE(projected);
    EXPECT_NEAR(projected->spent, 1000.0, 1e-6);
    EXPECT_NEAR(projected->low, 1000.0, 1e-3);
    ASSERT_TRUE(projected->high);
    EXPECT_NEAR(*projected->high, 1000.0, 1e-3);
  }
}

TEST(ErrorProjection, ContainsTheTruthAsOftenAsARangeShould) {
  int projected = 0, inside = 0;
  for (int seed = 1; seed <= 200; ++seed) {
    const auto found = projected_spending(power_law(0.5, 0.1, seed), 3.0 * std::pow(600.0, -0.5));
    if (!found) continue;
    ++projected;
    inside += found->low <= 600.0 && (!found->high || *found->high >= 600.0) ? 1 : 0;
  }
  EXPECT_GE(projected, 190);
  EXPECT_GE(inside, projected * 9 / 10);
}

TEST(ErrorProjection, RefusesACourseThatDoesNotFall) {
  std::vector<SpentError> flat, rising;
  for (int k = 1; k <= 20; ++k) {
    flat.push_back({10.0 * k, 1.0 + 0.05 * normal(k)});
    rising.push_back({10.0 * k, 0.1 * k});
  }
  EXPECT_FALSE(projected_spending(rising, 0.01));
  const auto found = projected_spending(flat, 0.5);
  EXPECT_TRUE(!found || !found->high);  // never, or perhaps never
  EXPECT_FALSE(projected_spending(power_law(0.5, 0.0, 1, 4), 0.01)) << "too few points";
}

TEST(ErrorProjection, KnowsHowTheErrorChangedOverTheLastThird) {
  const std::optional<double> fell = recent_change(power_law(0.5, 0.0, 1, 30));
  ASSERT_TRUE(fell);
  EXPECT_NEAR(*fell, std::pow(1.5, -0.5) - 1.0, 1e-9);
  EXPECT_FALSE(recent_change({{1.0, 2.0}, {2.0, 1.0}}));
  EXPECT_GT(*recent_change({{10.0, 1.0}, {20.0, 1.0}, {30.0, 2.0}}), 0.9);
}

}  // namespace
}  // namespace acuity::three_verdicts_test
