#pragma once

#include <optional>
#include <vector>

#include "acuity/model/marginals.hpp"
#include "acuity/selection/candidates.hpp"

namespace acuity {

/// The best candidate by looking at every point and every level: slow and obviously right. Ties as
/// docs/math.md 5.2 says: the lowest pool row, then the lower cost. Nothing where no candidate is left.
std::optional<Score> select_by_full_scan(const Marginals& belief, const Offer& offer,
                                         const Acquisition& acquisition, const Candidates& candidates);

/// Every open point at its best level (of tied ones the cheaper), in pool order.
std::vector<Score> score_pool(const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
                              const Candidates& candidates);

}  // namespace acuity
