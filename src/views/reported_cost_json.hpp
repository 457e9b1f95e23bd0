#pragma once

#include <vector>

#include "campaign/reported_cost.hpp"
#include "text/json.hpp"

namespace acuity {

/// [{"level", "declared", "reported", "count", "expected", "reserved"}, ...]
Json reported_cost_json(const std::vector<ReportedCost>& found);

}  // namespace acuity
