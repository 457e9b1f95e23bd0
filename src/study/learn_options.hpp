#pragma once

#include <vector>

#include "acuity/study/study_learner.hpp"

namespace acuity {

/// Options for learning the hyperparameters of a study, with the noise or the accuracy if the study learns
/// them, starting from the values learned before; `before` may be null.
LearnOptions learn_options(const Study& study, const std::vector<Annotation>& annotations,
                           const Observations& observations, const Learned* before, int threads);

}  // namespace acuity
