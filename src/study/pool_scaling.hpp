#pragma once

#include "acuity/data/pool.hpp"
#include "acuity/data/shared_pool.hpp"
#include "acuity/model/scaling.hpp"

namespace acuity {

/// Standardised by the points of a pool. All processes that share the pool call it together, and each reads
/// its own part.
Scaling standardised_by(const Pool& pool, const SharedPool& shared);

}  // namespace acuity
