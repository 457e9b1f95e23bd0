#pragma once

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// The model that makes predictions: Campaign::model() or, if nothing more can be bought and answers came
/// since it last learned, one that has learned from all of them. The log stays as it is, so that choices do
/// not depend on who has looked if money is added later.
StudyModel model_for_predictions(const Study& study, const State& state, int threads = 0);
inline StudyModel model_for_predictions(const Campaign& campaign, int threads = 0) {
  return model_for_predictions(campaign.study(), campaign.state(), threads);
}

}  // namespace acuity
