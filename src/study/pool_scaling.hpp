#pragma once

#include "acuity/base/ranks.hpp"
#include "acuity/data/pool.hpp"
#include "acuity/model/scaling.hpp"

namespace acuity {

/// Standardised by the points of a pool. Of several `ranks`, all of which call it, each reads its own part of
/// the pool; null: one.
Scaling standardised_by(const Pool& pool, Ranks* ranks);

}  // namespace acuity
