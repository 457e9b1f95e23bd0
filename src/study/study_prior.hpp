#pragma once

#include "acuity/study/study_learner.hpp"

namespace acuity {

/// The prior of a study before anything is learned. Mean and amplitude may depend on the values of the
/// annotations, and the scaling on their points, which are needed only then.
Prior prior_for(const Study& study, const Points& points, const Vector& values);

}  // namespace acuity
