#pragma once

#include "views/averaged_belief.hpp"
#include "views/campaign_data.hpp"

namespace acuity {

/// `importance` orders slices, most important input first; if it is empty they are in the order of the pool.
BeliefViews belief_views(const Study& study, const AveragedBelief& belief,
                         const std::vector<Importance>& importance);

}  // namespace acuity
