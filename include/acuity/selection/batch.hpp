#pragma once

#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/level.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/selection/candidates.hpp"
#include "acuity/selection/full_scan.hpp"

namespace acuity ACUITY_PUBLIC {

/// Up to `count` annotations to request at once, in order of selection: each is the best given that those
/// before it will be answered, for any answers. In regression with a fixed prior that is the sequence
/// select_by_full_scan would choose one by one (docs/math.md 7). Fewer if nothing is left to buy.
///
/// Each choice is bought from `candidates`, which is a copy. The belief is conditioned on the batch
/// temporarily and restored on return, also if an exception is thrown; the caller conditions it on the
/// annotations that are actually requested.
std::vector<Score> select_batch(PoolBelief& belief, const Offer& offer, const Acquisition& acquisition,
                                Candidates candidates, Index count, const FullScanOptions& options = {});

}  // namespace acuity ACUITY_PUBLIC
