#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acuity/acquisition/acquisition.hpp"
#include "acuity/base/public.hpp"
#include "acuity/data/pool.hpp"
#include "acuity/model/pool_belief.hpp"

namespace acuity ACUITY_PUBLIC {

/// The point to annotate, the level and the cost. Annotators see nothing else of a selection.
struct Suggestion {
  std::int64_t id = 0;         ///< 1, 2, 3, ... in a campaign
  Index row = 0;               ///< of the pool
  std::string point;           ///< its id in the pool
  std::vector<double> inputs;  ///< as in the pool, not scaled
  Level level;
  Channel channel;                    ///< of this level at this point
  double mean = 0.0, variance = 0.0;  ///< of f there, before the answer
  /// Of the answer without noise, if its level has a bias; the answer is f otherwise.
  std::optional<double> answer_mean = std::nullopt, answer_variance = std::nullopt;
  double information = 0.0;
  double cost = 0.0;
  /// The suggestion whose run is continued, and whose answer is replaced; absent: a new run.
  std::optional<std::int64_t> resume_from = std::nullopt;
  /// Drawn at random to judge the model, which does not see the answer before all answers of the audit have
  /// come.
  bool audit = false;

  /// Set aside until it is answered.
  double reserved() const { return std::max(cost, level.reserve); }
  double information_per_cost() const { return information / cost; }
};

Suggestion make_suggestion(const Score& score, const Pool& pool, const Offer& offer,
                           const Acquisition& acquisition, const Marginals& belief);
/// Makes the suggestion without updating the other points of the pool.
Suggestion make_suggestion(const Score& score, const Pool& pool, const Offer& offer,
                           const Acquisition& acquisition, PoolBelief& belief);

}  // namespace acuity ACUITY_PUBLIC
