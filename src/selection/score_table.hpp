#pragma once

#include <optional>
#include <vector>

#include "acuity/acquisition/acquisition.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/selection/candidates.hpp"

namespace acuity {

/// A pool point with its score and the belief about f there.
struct ScoredPoint {
  Score score;
  double mean = 0.0, variance = 0.0;
};

struct ScoreTableOptions {
  int threads = 0;           ///< 0: all processors
  std::optional<Index> top;  ///< only the best so many points need be in the table
};

/// The scores of the open points of a pool, in the order of the pool, each at its best level. With `top` the
/// best points are among the rows; there may be more. If processes share the pool, each scores its own part,
/// all call this together and all get the whole table.
std::vector<ScoredPoint> score_table(PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
                                     const Candidates& candidates, const ScoreTableOptions& options = {});

}  // namespace acuity
