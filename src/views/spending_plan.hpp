#pragma once

#include <string>
#include <vector>

#include "acuity/study/study_learner.hpp"

namespace acuity {

/// What biases and the goal mean for how money can be spent: sentences for `check`, empty if the study has
/// neither.
struct SpendingPlan {
  std::vector<std::string> sentences;
  std::vector<std::string> warnings;
};

SpendingPlan spending_plan(const Study& study, const StudyModel& model, double budget);

/// What all levels cost at all points, every one bought as often as it may be; infinite without a limit.
double spendable(const Study& study);

}  // namespace acuity
