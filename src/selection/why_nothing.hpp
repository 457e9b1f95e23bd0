#pragma once

#include <string>

#include "acuity/selection/candidates.hpp"

namespace acuity {

/// Whether a level could be paid for, but none is open at any point.
bool is_sold_out(const Offer& offer, const Acquisition& acquisition, const Candidates& candidates);

/// Why none of these candidates can be chosen, as a sentence for the user.
std::string why_nothing(const Offer& offer, const Acquisition& acquisition, const Candidates& candidates);

}  // namespace acuity
