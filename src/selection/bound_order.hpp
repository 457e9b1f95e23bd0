#pragma once

#include <vector>

#include "acquisition/find_bounds.hpp"
#include "acuity/acquisition/acquisition.hpp"
#include "acuity/selection/candidates.hpp"

namespace acuity {

/// The open points that may be best or tie with the best, ascending: points are evaluated in the order of
/// their bounds per cost, until a bound is below the best value (math.md 19.1, 20.1). Without loss of
/// candidates for the tie rule.
std::vector<Index> points_by_bound(const Marginals& belief, const Offer& offer,
                                   const Acquisition& acquisition, const Candidates& candidates,
                                   const FindBounds& bounds, int threads);

}  // namespace acuity
