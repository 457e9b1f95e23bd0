#pragma once

#include <optional>
#include <vector>

#include "acuity/model/marginals.hpp"
#include "acuity/selection/candidates.hpp"

namespace acuity {

/// The full scan decides among a few points of the pool, ascending, so that the lowest row still wins a tie.
/// `belief` is about these, `offer` has the levels and these points' noise, `candidates` are those of the
/// pool. `shadow_price`: as in select_at_price().
std::optional<Score> select_among(const std::vector<Index>& points, const Marginals& belief,
                                  const Offer& offer, const Acquisition& acquisition,
                                  const Candidates& candidates,
                                  std::optional<double> shadow_price = std::nullopt);

}  // namespace acuity
