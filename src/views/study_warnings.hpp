#pragma once

#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "acuity/study/study_learner.hpp"

namespace acuity {

/// Warnings about scales and units of a study that are valid but probably wrong, one sentence each.
std::vector<std::string> study_warnings(const Study& study, const StudyModel& model,
                                        const std::vector<Annotation>& annotations);

/// What is worth knowing before money is spent: remarks on the study, the warnings above, a budget that
/// cannot pay for the beginning, and what the answers of a campaign (null: a study file) say about its
/// levels.
std::vector<std::string> warnings_before_spending(const Study& study, const StudyModel& model,
                                                  const std::vector<Annotation>& annotations, double budget,
                                                  const Campaign* campaign);

}  // namespace acuity
