#pragma once

#include <memory>
#include <string>

#include "acuity/campaign/campaign.hpp"
#include "acuity/model/averaged_model.hpp"
#include "bindings.hpp"

namespace acuity::python {

/// The model as it is now, for predictions that no longer need the campaign.
struct CampaignModel {
  AveragedModel model;
  std::string status;  // that of the campaign, for the hyperparameters
  Points points;
  Vector values, channel;
  double noise = 0.0;  // of an answer without that of a level and the nugget; NaN: it depends on the point
  std::shared_ptr<const Target> target;
};

CampaignModel model_of(Campaign& campaign, int threads);
void bind_campaign_model(py::module_& module);

}  // namespace acuity::python
