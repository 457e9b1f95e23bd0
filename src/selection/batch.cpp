#include "acuity/selection/batch.hpp"

#include <algorithm>

#include "acuity/base/errors.hpp"
#include "acuity/selection/selector.hpp"
#include "selection/temporary_pending.hpp"

namespace acuity {

std::vector<Score> select_batch(PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
                                Candidates candidates, Index count, const FullScanOptions& options) {
  require(count >= 0, "select_batch", "count", static_cast<double>(count), "zero or more");
  std::vector<Score> batch;
  Selector selector(offer, acquisition, options.threads);
  TemporaryPending pending(belief);
  while (static_cast<Index>(batch.size()) < count) {
    const std::optional<Score> best =
        options.every_level ? select_by_full_scan(belief.marginals(), offer, acquisition, candidates, options)
                            : selector.choose(belief, candidates);
    if (!best) break;
    batch.push_back(*best);
    pending.add(best->point, added_channel(*best, offer, acquisition));
    candidates.buy(*best, std::max(best->cost, level_of(*best, offer, acquisition).reserve));
  }
  pending.cancel_all();
  return batch;
}

}  // namespace acuity
