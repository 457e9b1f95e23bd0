#pragma once

#include <vector>

#include "acuity/study/study_learner.hpp"

// People who answer: how good their answers are (docs/math.md 15).

namespace acuity {

/// Whether the accuracy of an annotation is learned: at its level, unless the answer reported one.
bool learns_accuracy(const Study& study, const Annotation& annotation);

/// The annotations as the model sees them, with accuracies as learned, and one observation per item if the
/// study says so. `learned` may be null.
std::vector<Observation> observations_under(const Study& study, const std::vector<Annotation>& annotations,
                                            const Learned* learned);

/// The accuracies of people and levels under a prior.
LearnedAccuracies learn_accuracies(const Study& study, const Prior& prior,
                                   const std::vector<Annotation>& annotations,
                                   const std::vector<GoldAnswer>& gold);

}  // namespace acuity
