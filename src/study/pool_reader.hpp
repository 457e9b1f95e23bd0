#pragma once

#include <utility>

#include "acuity/data/point_values.hpp"
#include "acuity/data/pool.hpp"
#include "acuity/data/shared_pool.hpp"
#include "acuity/data/table.hpp"
#include "acuity/study/study_file.hpp"
#include "study/noise_law.hpp"

namespace acuity {

/// A pool, the law of sigma^2(x), and its value at every point.
struct PoolWithNoise {
  Pool pool;
  std::shared_ptr<const NoiseLaw> law;
  PointValues noise;
  std::vector<std::string> remarks = {};  ///< about columns that are no inputs
};

/// Reads the pool that the study names, a CSV file or a pool file, or draws it; throws InputError. The
/// processes that share the pool must all call it: what one of them throws, all throw. Of a pool file each
/// checks its own part, and stores the noise there.
PoolWithNoise read_pool(const StudyFile& study, const SharedPool& shared);

}  // namespace acuity
