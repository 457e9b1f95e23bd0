#pragma once

#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// A plan of the budget beside what was bought after it.
struct PlanPoint {
  double remaining = 0.0;  ///< money that was planned
  double lambda = 1.0;
  double expected = 0.0, expected_ratio = 0.0;
  std::vector<double> planned, bought;  ///< number of purchases by level; bought: from this plan to the end
  std::string note;
};

/// Of price lists; at most twelve plans, the first and the last among them.
std::vector<PlanPoint> plan_course(const Campaign& campaign);

}  // namespace acuity
