#pragma once

#include "acuity/selection/full_scan.hpp"

namespace acuity {

/// What select_by_full_scan chooses, found faster where the acquisition's information has bounds: they
/// discard the points that cannot win, and the others are compared by their worth. Elsewhere the full scan
/// itself. `threads`: 0 means all the machine has; the choice does not depend on it.
std::optional<Score> select_by_screen(const Marginals& belief, const Offer& offer,
                                      const Acquisition& acquisition, const Candidates& candidates,
                                      int threads = 0);

}  // namespace acuity
