#pragma once

#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "acuity/study/study_learner.hpp"
#include "explain/break_even_report.hpp"
#include "text/json.hpp"

namespace acuity {

/// What `check` finds out about a study before money is spent, without a forecast and without a trial.
struct StudyCheck {
  BreakEvenReport break_even;
  Json inputs;                           ///< inputs_json()
  std::vector<std::string> input_lines;  ///< what was understood of every input
  std::string initial;                   ///< empty: nothing comes before the first choice
  std::string audit;                     ///< empty: there is none
  std::vector<std::string> notes;        ///< on large runs, biases, the goal and runs that fail
  std::string plan;                      ///< of the budget; empty: none
  std::vector<std::string> warnings;
};

/// `campaign`: the one whose annotations these are; null for a study file.
StudyCheck check_study(const Study& study, const StudyModel& model,
                       const std::vector<Annotation>& annotations, const Campaign* campaign, int threads = 0);

/// With the keys of `acuity check --format json`.
Json check_json(const StudyCheck& found);
/// What `acuity check` prints: what the initial design costs first, and no part that is for other studies.
std::string check_text(const StudyCheck& found, const std::string& unit);

}  // namespace acuity
