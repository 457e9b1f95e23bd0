#pragma once

#include <optional>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/selection/candidates.hpp"

namespace acuity ACUITY_PUBLIC {

/// Options that affect the speed, not the result.
struct FullScanOptions {
  int threads = 0;  ///< 0: all processors
  /// Evaluate also levels that cannot win because information is convex in the accuracy (docs/math.md 5.4).
  bool every_level = false;
};

/// The best candidate, found by scoring every point: slow, and the reference for faster methods. Ties are
/// broken by the lowest pool row, then the lower cost (docs/math.md 5.2). Nothing if no candidate is left. If
/// several points throw, the exception of the lowest pool rows is rethrown.
std::optional<Score> select_by_full_scan(const Marginals& belief, const Offer& offer,
                                         const Acquisition& acquisition, const Candidates& candidates,
                                         const FullScanOptions& options = {});

/// Whether `a` ranks before `b`: by value, and by `order` among equal values.
bool precedes(const Score& a, const Score& b);

/// Every open point at its best level (the cheaper one of tied levels), in pool order; runs to continue are
/// not included.
std::vector<Score> score_pool(const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
                              const Candidates& candidates, const FullScanOptions& options = {});

}  // namespace acuity ACUITY_PUBLIC
