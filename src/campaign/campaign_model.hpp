#pragma once

#include <memory>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study_learner.hpp"

namespace acuity {

/// The model of a campaign in a given state, with the hyperparameters it had then.
class CampaignModel {
 public:
  CampaignModel(const Study& study, const State& state);

  const StudyModel& study_model() const { return model_; }
  const Observations& observations() const { return observations_; }
  const TargetPosterior& posterior() const { return *posterior_; }

 private:
  StudyModel model_;
  Observations observations_;
  std::unique_ptr<const TargetPosterior> posterior_;
};

}  // namespace acuity
