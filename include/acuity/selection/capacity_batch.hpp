#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/selection/candidates.hpp"

namespace acuity ACUITY_PUBLIC {

struct CapacityOptions {
  std::int64_t capacity = 1;                       ///< units of all levels together, at most
  Index most = std::numeric_limits<Index>::max();  ///< annotations, at most
  bool repeat_points = true;                       ///< false: no point twice, whatever the candidates allow
  int threads = 0;                                 ///< 0: all processors
  /// Steps of selection that all batches compared may take together. Fewer mixtures of sizes are compared if
  /// they would take more.
  Index most_steps = 4000;
};

/// A batch of annotations that are requested at once and share a capacity, such as the vessels of a reactor,
/// of which every level takes its units. The levels are chosen jointly: several mixtures of sizes that fill
/// the capacity (all of them if they are few) are filled step by step, each step given those before it, and
/// the rule of choice is applied to whole batches: docs/math.md eq. (17.2) with the information and the cost
/// of a batch in place of a candidate's. With price_weight 1 that is the most information per cost among
/// these batches, with 0 the most information.
///
/// What is guaranteed: the batch fits, can be paid for, and leaves no capacity that an open candidate could
/// take. The batch of choices made one after another, each the best that still fits, is one of those
/// compared, so that the result is never worse than it by the rule of choice. With price_weight 0,
/// information about f without bias, at most one level of each size, enough money and all mixtures compared,
/// the batch has at least 1/2 of the highest joint information of all batches that fit if points are
/// repeated, and 1/3 if they are not: the greedy algorithm under one matroid, or under two. Other rules have
/// no such bound.
///
/// If all levels have the same size the result is select_batch() with the number that fits. Annotations are
/// in the order in which they were chosen. The belief is restored on return.
std::vector<Score> select_batch_within(PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
                                       const Candidates& candidates, const CapacityOptions& options);

}  // namespace acuity ACUITY_PUBLIC
