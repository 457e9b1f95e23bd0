#pragma once

#include <string>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// The state of a campaign as text.
std::string status_text(const Campaign& campaign);
/// The state as CSV: a header and one line.
std::string status_csv(const Campaign& campaign);
/// The state as one JSON object on one line (docs/commands/status.md).
std::string status_json(const Campaign& campaign);

}  // namespace acuity
