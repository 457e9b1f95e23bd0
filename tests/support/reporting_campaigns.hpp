#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "acuity/selection/full_scan.hpp"
#include "acuity/study/study_learner.hpp"
#include "campaign/campaign_belief.hpp"
#include "support/memory_campaigns.hpp"
#include "support/program.hpp"
#include "support/studies.hpp"

// Campaigns whose answers report what they cost, or their own noise.

namespace acuity::testing {

/// A study with a pool of 60 points on a line of this length.
inline Study study_on_a_line(const std::string& text, double length = 8.0) {
  const Folder folder;
  folder.write("pool.csv", pool_on_a_line(60, length));
  return Study::open(folder.write("study.toml", with_given_model(text)));
}

/// How many choices of a campaign are those of other studies that do not look at reports.
struct Agreement {
  int with_reported = 0, with_declared = 0, of = 0;
};

/// Goes on until there are 100 answers, and compares the choices of the last 60. `as_reported` declares what
/// answers report, `as_declared` what the campaign's study declares.
template <typename Answers>  // Answer(const Study&, const Suggestion&)
Agreement agreement(Campaign campaign, const Study& as_reported, const Study& as_declared, Answers answers) {
  const auto chooses = [](const Study& study, std::vector<Annotation> known, const Suggestion& asked) {
    for (Annotation& annotation : known) annotation.reported = false;
    const StudyModel model = StudyLearner(study).model_given(known);
    const Score best = select_by_full_scan(StudyLearner(study).belief(model)->marginals(), model.offer,
                                           model.acquisition, study.candidates_after(known, 1e6))
                           .value();
    const Level level = level_of(best, model.offer, model.acquisition);
    return best.point == asked.row && level.name == asked.level.name && level.alpha == asked.level.alpha;
  };
  Agreement found;
  for (int k = 0; k < 100; ++k) {
    const std::vector<Annotation> known = campaign.annotations();
    const Suggestion asked = campaign.ask().suggestions.at(0);
    if (k >= 40) {
      found.with_reported += chooses(as_reported, known, asked);
      found.with_declared += chooses(as_declared, known, asked);
      ++found.of;
    }
    campaign.tell({answers(campaign.study(), asked)});
  }
  return found;
}

/// A belief that has followed a campaign chooses like one built from its log, and like a full scan.
inline void expect_same_choice(CampaignBelief& appended, CampaignBelief& fresh,
                               const Candidates& candidates) {
  EXPECT_EQ(appended.builds(), 1) << "nothing is built anew for a report";
  const auto one = appended.selector().choose(appended.belief(), candidates);
  const auto other = fresh.selector().choose(fresh.belief(), candidates);
  const auto slow = select_by_full_scan(fresh.belief().marginals(), fresh.model().offer,
                                        fresh.model().acquisition, candidates);
  ASSERT_TRUE(one && other && slow);
  EXPECT_EQ(one->point, other->point);
  EXPECT_EQ(one->level, other->level);
  EXPECT_EQ(slow->point, other->point);
  EXPECT_EQ(slow->level, other->level);
}

}  // namespace acuity::testing
