#pragma once

#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// A warning if the first answers after the initial design are many standard deviations from their
/// predictions; empty otherwise, and after 15 of them, when `status` and the report say it. `said_at`: the
/// number of answers when it would have been given before; it is not given twice for the same reason.
std::string early_verdict(const Campaign& campaign, std::int64_t said_at = 0);

/// The same after an ask that gave `suggestions`; empty if it was due at an earlier ask.
std::string early_verdict_at_ask(const Campaign& campaign, const std::vector<Suggestion>& suggestions);

}  // namespace acuity
