#pragma once

#include <string>
#include <vector>

#include "acuity/study/study.hpp"

namespace acuity {

/// What looks wrong in a study's scales and units although every number is allowed: one sentence each.
std::vector<std::string> study_warnings(const Study& study, const StudyModel& model,
                                        const std::vector<Annotation>& annotations);

}  // namespace acuity
