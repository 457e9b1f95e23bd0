#pragma once

#include <string>

#include "acuity/campaign/campaign.hpp"
#include "text/json.hpp"

namespace acuity {

/// The answer to POST /v1/predict: {"rows": [...]} with the columns of `acuity predict`, for the points of
/// the body {"points": [{input: value, ...}, ...]}. Throws HttpProblem 400.
Json predictions(const Campaign& campaign, const std::string& body);

}  // namespace acuity
