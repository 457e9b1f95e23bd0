#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acuity/acquisition/acquisition.hpp"
#include "acuity/data/pool.hpp"
#include "acuity/model/pool_belief.hpp"

namespace acuity {

/// Which point to ask about, how precisely, for how much. All that annotators see of a selection.
struct Suggestion {
  std::int64_t id = 0;         ///< 1, 2, 3, ... in a campaign
  Index row = 0;               ///< of the pool
  std::string point;           ///< the pool's id of it
  std::vector<double> inputs;  ///< as in the pool, not scaled
  Level level;
  Channel channel;                    ///< of this level at this point
  double mean = 0.0, variance = 0.0;  ///< belief about f there before the answer
  double information = 0.0;
  double cost = 0.0;

  double information_per_cost() const { return information / cost; }
};

Suggestion make_suggestion(const Score& score, const Pool& pool, const Offer& offer,
                           const Acquisition& acquisition, const Marginals& belief);
/// The same, without bringing the rest of the pool up to date.
Suggestion make_suggestion(const Score& score, const Pool& pool, const Offer& offer,
                           const Acquisition& acquisition, PoolBelief& belief);

}  // namespace acuity
