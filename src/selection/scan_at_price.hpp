#pragma once

#include <optional>

#include "acuity/selection/full_scan.hpp"

namespace acuity {

/// lambda * rho of docs/math.md eq. (17.2): rho is the best information per cost among the candidates.
/// Nothing if candidates are ranked otherwise, or if rho is 0 or infinite: then the ranking is by information
/// per cost.
std::optional<double> shadow_price(const Marginals& belief, const Offer& offer,
                                   const Acquisition& acquisition, const Candidates& candidates,
                                   const FullScanOptions& options = {});

/// select_by_full_scan() at a price that is known; without one candidates are ranked as if price_weight
/// were 1.
std::optional<Score> select_at_price(const Marginals& belief, const Offer& offer,
                                     const Acquisition& acquisition, const Candidates& candidates,
                                     std::optional<double> shadow_price, const FullScanOptions& options = {});

}  // namespace acuity
