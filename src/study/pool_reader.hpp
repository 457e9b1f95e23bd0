#pragma once

#include <utility>

#include "acuity/data/pool.hpp"
#include "acuity/data/table.hpp"
#include "acuity/study/study_file.hpp"
#include "study/noise_law.hpp"

namespace acuity {

/// A pool, the law of sigma^2(x), and its value at every point.
struct PoolWithNoise {
  Pool pool;
  std::shared_ptr<const NoiseLaw> law;
  Vector noise;
  std::vector<std::string> remarks = {};  ///< about columns that are no inputs
  bool noise_is_partial = false;          ///< `noise` has the points of this rank only
};

/// Reads the pool that the study names, a CSV file or a pool file; throws InputError. Of a pool file a rank
/// of several (StudyFile::ranks) reads its part.
PoolWithNoise read_pool(const StudyFile& study);
/// The same on all of StudyFile::ranks together: what one of them throws, all throw, and all have the noise
/// of all points.
PoolWithNoise read_pool_on_ranks(const StudyFile& study);

}  // namespace acuity
