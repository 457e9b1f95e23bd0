#pragma once

#include <string>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

enum class StatusExtent { brief, details };

/// The state of a campaign as text: one line per fact, and with details everything that is known about it.
std::string status_text(const Campaign& campaign, StatusExtent extent = StatusExtent::brief);
/// The state as CSV: a header and one line.
std::string status_csv(const Campaign& campaign);
/// The state as one JSON object on one line (docs/commands/status.md).
std::string status_json(const Campaign& campaign);
/// The best so many points of goal.find as a JSON list of objects as status_json() has one. Throws InputError
/// if the study seeks none.
std::string best_points_json(const Campaign& campaign, Index count);

}  // namespace acuity
