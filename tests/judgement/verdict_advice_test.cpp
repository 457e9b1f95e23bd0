#include <gtest/gtest.h>

#include <cmath>

#include "judgement/calibration_verdict.hpp"
#include "judgement/verdict_parts.hpp"
#include "support/program.hpp"
#include "text/sentence.hpp"
#include "views/campaign_status.hpp"

// Advice is something that can be done: in this state, with this money, in a study of this kind.

namespace acuity::testing::verdict_advice_test {
namespace {

const std::string pool = "[pool]\nfile = \"pool.csv\"\n";
const std::string meshes =
    "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\nrepeat = \"same\"\n"
    "[[level]]\nname = \"fine\"\nnoise_sd = 0.05\ncost = 20\nrepeat = \"same\"\n";
const std::string runs =
    "[[level]]\nname = \"coarse\"\nnoise_sd = 0.5\ncost = 1\n"
    "[[level]]\nname = \"fine\"\nnoise_sd = 0.05\ncost = 20\n";

std::string pool_of(int points) {
  std::string text = "x,z\n";
  for (int i = 0; i < points; ++i) text += std::to_string(i % 10) + "," + std::to_string(i / 10) + "\n";
  return text;
}

StudyFile file_of(const Folder& folder, const std::string& text) {
  folder.write("pool.csv", pool_of(60));
  return Study::open(folder.write("study.toml", "[campaign]\nbudget = 100\n" + text)).file();
}

TEST(VerdictAdvice, OnNarrowIntervalsNeverGivesUpALevelWhoseBiasIsLearned) {
  const Folder folder;
  const std::string advice = narrow_advice(file_of(folder, pool + meshes));
  EXPECT_EQ(advice.find("left out"), std::string::npos) << advice;
  EXPECT_EQ(advice.find("fit_noise"), std::string::npos) << advice;
  EXPECT_NE(advice.find("multiply standard deviations by the factor"), std::string::npos) << advice;
}

TEST(VerdictAdvice, NamesKeysOfTheStudyInItsLastParenthesesOnly) {
  const Folder folder;
  for (const std::string& more :
       {std::string(), std::string("[model]\nfit = \"never\"\namplitude = 1\nlengthscale = 1\n"),
        std::string("[noise]\nnugget = 0\n"), std::string("[model]\nprior = \"none\"\n"),
        std::string("[model]\nfit_noise = true\n")})
    for (const std::string& levels : {meshes, runs}) {
      const StudyFile study = file_of(folder, pool + more + levels);
      for (const std::string& advice : {narrow_advice(study), wide_advice(study), cautious_advice(study)}) {
        const std::string plain = without_last_parentheses(advice);
        EXPECT_FALSE(plain.empty());
        for (const char* key : {"_", "model.", "noise.", "pool.", "[model]", " = ", "acuity "})
          EXPECT_EQ(plain.find(key), std::string::npos) << advice;
      }
    }
}

TEST(VerdictAdvice, LosesOnlyTheParenthesesAtItsEnd) {
  EXPECT_EQ(without_last_parentheses("ask for PBE (tight) again (acuity ask C --level 'PBE (tight)')"),
            "ask for PBE (tight) again");
  EXPECT_EQ(without_last_parentheses("continue"), "continue");
  EXPECT_EQ(without_last_parentheses(""), "");
  EXPECT_EQ(without_last_parentheses("a) b)"), "a) b)");
}

// Answers to everything that `ask` gives, at most so many.
void play(Campaign& campaign, int answers) {
  for (int k = 0; k < answers; ++k)
    for (const Suggestion& asked : campaign.ask().suggestions) {
      Answer answer;
      answer.id = asked.id;
      answer.values = {asked.inputs[0] + 0.5 * std::sin(3.0 * asked.inputs[1] + k)};
      campaign.tell({answer});
    }
}

TEST(VerdictAdvice, IsAbsentIfTheMoneyDoesNotReach) {
  const Folder folder;
  folder.write("pool.csv", pool_of(60));
  Campaign campaign(Study::open(folder.write(
                        "study.toml", "[campaign]\nunit = \"core hours\"\nbudget = 130\n" + pool + runs)),
                    make_memory_event_store(), CampaignOptions{.threads = 1});
  EXPECT_EQ(answers_advice(campaign, "fine", 5),
            "5 more answers of fine would tell, for about 100 core hours (acuity ask C --level fine -n 5)");
  EXPECT_EQ(answers_advice(campaign, "fine", 7), "");
  EXPECT_TRUE(can_buy_an_answer(campaign));

  // Six answers are too few for a verdict, and more cannot come.
  Campaign spent(
      Study::open(folder.write("small.toml", "[campaign]\nbudget = 6\n" + pool +
                                                 "[[level]]\nname = \"coarse\"\nnoise_sd = "
                                                 "0.5\ncost = 1\n[acquisition]\nplan = \"none\"\n")),
      make_memory_event_store(), CampaignOptions{.threads = 1});
  play(spent, 4);
  EXPECT_TRUE(verdict_on(spent).advice.starts_with("continue")) << verdict_on(spent).text();
  play(spent, 4);
  ASSERT_FALSE(can_buy_an_answer(spent));
  EXPECT_EQ(verdict_on(spent).advice, "") << verdict_on(spent).text();
}

TEST(VerdictAdvice, StatusSaysHowManyAnswersOfTheReferenceLevelAreMissing) {
  const Folder folder;
  folder.write("pool.csv", pool_of(60));
  Campaign campaign(Study::open(folder.write(
                        "study.toml", "[campaign]\nbudget = 400\ninitial = { fine = 2, coarse = 6 }\n" +
                                          pool + meshes + "[acquisition]\nplan = \"none\"\n")),
                    make_memory_event_store(), CampaignOptions{.threads = 1});
  play(campaign, 24);
  const CalibrationVerdict verdict = verdict_on(campaign);
  ASSERT_EQ(verdict.words(), "cannot tell yet") << verdict.text();
  EXPECT_TRUE(verdict.missing.ends_with(" of the 8 answers of fine that are needed")) << verdict.missing;
  const std::string status = status_text(campaign);
  EXPECT_NE(status.find("\nintervals: cannot tell yet: " + verdict.missing + "\n"), std::string::npos)
      << status;
}

TEST(VerdictParts, TakeASurpriseForOverIfTheModelOfNowDoesNotShareIt) {
  const Sureness unsure{.is_unsure = 0.4, .is_sure = 0.05}, sure{.is_unsure = 0.05, .is_sure = 0.4};
  EXPECT_TRUE(is_outdated(5.0, unsure));
  EXPECT_FALSE(is_outdated(5.0, sure));
  EXPECT_TRUE(is_outdated(-3.0, sure));
  EXPECT_FALSE(is_outdated(-3.0, unsure));
}

TEST(VerdictParts, SayOneNumberInTwentyWords) {
  CalibrationVerdict verdict{
      .calibration = CalibrationVerdict::Calibration::too_wide, .factor = 0.5, .answers = 60};
  EXPECT_EQ(finding_of(verdict), "too wide by a factor of about 2.0");
  EXPECT_EQ(finding_about("intervals", verdict), "intervals are too wide by a factor of about 2.0");
  verdict.calibration = CalibrationVerdict::Calibration::good;
  EXPECT_EQ(finding_of(verdict), "good, judged by 60 answers");
  verdict.calibration = CalibrationVerdict::Calibration::cannot_tell;
  EXPECT_EQ(finding_about("intervals", verdict), "it cannot be told yet, judged by 60 answers");
  verdict.missing = "2 of the 8 answers of fine that are needed";
  EXPECT_EQ(finding_about("intervals", verdict),
            "it cannot be told yet: 2 of the 8 answers of fine that are needed");
  verdict.missing.clear();
  verdict.about = CalibrationVerdict::About::audit;
  verdict.answers = 8;
  EXPECT_EQ(finding_about("intervals", verdict),
            "there is no sign that they are too narrow, judged by 8 answers at random points");
}

}  // namespace
}  // namespace acuity::testing::verdict_advice_test
