#pragma once

#include <memory>
#include <optional>

#include "acuity/data/point_values.hpp"
#include "acuity/data/pool.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/study/study_file.hpp"

namespace acuity {

struct BeliefMemory;

/// What was read of a large table: the pool, and sigma^2 of every point unless it is constant.
struct ReadPool {
  Pool pool;
  Vector noise;
};

/// Reading a large CSV pool takes seconds, so a campaign keeps what was read in `cache/pool`, under the
/// checksum of its copy of the pool and of its study (docs/campaign-log.md). Nothing if it is not there, or
/// is of another pool, study or version.
std::optional<ReadPool> kept_pool(const StudyFile& study);

/// Keeps it for the next process, if the pool is large and the folder can be written to.
void keep_pool(const StudyFile& study, const Pool& pool, const Vector& noise);

/// With thousands of answers a belief takes seconds to build, so a campaign keeps the factor and bounds of
/// the variances in `cache/belief`. Null if they are not there, or are of another study or version; whether
/// they are of the same points and prior is seen when a belief begins with them. Choices do not depend on it.
std::shared_ptr<const BeliefMemory> kept_belief(const StudyFile& study);

/// Keeps them for the next process, if that will save time and the folder can be written to.
void keep_belief(const StudyFile& study, PoolBelief& belief);

}  // namespace acuity
