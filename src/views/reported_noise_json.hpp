#pragma once

#include <vector>

#include "study/reported_noise.hpp"
#include "text/json.hpp"

namespace acuity {

/// [{"level", "declared", "reported", "used", "count"}, ...]
Json reported_noise_json(const std::vector<ReportedNoise>& found);

}  // namespace acuity
