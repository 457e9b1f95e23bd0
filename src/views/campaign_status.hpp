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

}  // namespace acuity
