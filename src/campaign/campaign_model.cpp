#include "campaign/campaign_model.hpp"

#include "campaign/state_queries.hpp"

namespace acuity {

CampaignModel::CampaignModel(const Study& study, const State& state)
    : model_(model_of(study, state, annotations_of(study, state))),
      observations_(model_.observations, study.pool().points()),
      posterior_(study.file().target->posterior(model_.prior, observations_)) {}

}  // namespace acuity
