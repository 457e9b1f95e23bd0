#pragma once

#include <optional>
#include <vector>

#include "acuity/model/marginals.hpp"
#include "acuity/selection/candidates.hpp"

namespace acuity {

/// How the work is done; what is found does not depend on it.
struct FullScanOptions {
  int threads = 0;  ///< 0: all the machine has
  /// Evaluate also levels that cannot win because information is convex in the accuracy (docs/math.md 5.4).
  bool every_level = false;
};

/// The best candidate by looking at every point: slow and obviously right. Ties as docs/math.md 5.2 says: the
/// lowest pool row, then the lower cost. Nothing if no candidate is left. An exception is that of the
/// lowest pool rows that throw one.
std::optional<Score> select_by_full_scan(const Marginals& belief, const Offer& offer,
                                         const Acquisition& acquisition, const Candidates& candidates,
                                         const FullScanOptions& options = {});

/// Whether `a` ranks before `b`: by value, and by `order` among equal values.
bool precedes(const Score& a, const Score& b);

/// Every open point at its best level (of tied ones the cheaper), in pool order.
std::vector<Score> score_pool(const Marginals& belief, const Offer& offer, const Acquisition& acquisition,
                              const Candidates& candidates, const FullScanOptions& options = {});

}  // namespace acuity
