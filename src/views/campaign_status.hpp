#pragma once

#include <string>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// Where a campaign stands, for people.
std::string status_text(const Campaign& campaign);
/// A header and a line.
std::string status_csv(const Campaign& campaign);
/// One object on one line (docs/reference.md 7, "status").
std::string status_json(const Campaign& campaign);

}  // namespace acuity
