#pragma once

#include "views/campaign_data.hpp"
#include "views/campaign_model.hpp"

namespace acuity {

/// `importance` orders slices, most important input first; if it is empty they are in the order of the pool.
BeliefViews belief_views(const Study& study, const CampaignModel& model,
                         const std::vector<Importance>& importance);

}  // namespace acuity
