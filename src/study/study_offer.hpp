#pragma once

#include "acuity/study/study_learner.hpp"

namespace acuity {

/// Sets the offer and the acquisition of a model: noise or accuracy as learned and reported, costs as
/// reported. Everything else of the model must be set.
void set_offer(const Study& study, StudyModel& model);

}  // namespace acuity
