#pragma once

#include "views/campaign_data.hpp"
#include "views/campaign_model.hpp"

namespace acuity {

/// Fills in what is believed today: a curve of one input, a map of two, slices of more; and where that stands
/// to the prices of the levels.
void view_belief(const Study& study, const CampaignModel& model, CampaignData& data);

}  // namespace acuity
