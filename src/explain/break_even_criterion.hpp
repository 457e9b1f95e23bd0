#pragma once

#include <string>

#include "acuity/study/study_learner.hpp"

namespace acuity {

/// Why the best level at a point does not follow from the standard deviation of f there, as one sentence
/// without a full stop; empty if it does.
std::string why_no_break_even(const Study& study, const StudyModel& model);

/// The model with a worth that needs no goal: under the criterion "variance" the best level at a point is
/// that of least (s + n) cost, s the variance of f there and n the noise of the level, whatever the goal.
StudyModel compared_model(const StudyModel& model);

}  // namespace acuity
