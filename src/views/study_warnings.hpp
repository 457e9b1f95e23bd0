#pragma once

#include <string>
#include <vector>

#include "acuity/study/study.hpp"

namespace acuity {

/// Warnings about scales and units of a study that are valid but probably wrong, one sentence each.
std::vector<std::string> study_warnings(const Study& study, const StudyModel& model,
                                        const std::vector<Annotation>& annotations);

}  // namespace acuity
