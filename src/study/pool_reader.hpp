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
};

/// Reads the pool that the study names, a CSV file or a pool file; throws InputError.
PoolWithNoise read_pool(const StudyFile& study);

}  // namespace acuity
