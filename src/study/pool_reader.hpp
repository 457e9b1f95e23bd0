#pragma once

#include <string_view>
#include <utility>

#include "acuity/data/pool.hpp"
#include "acuity/data/table.hpp"
#include "acuity/study/study_file.hpp"
#include "study/noise_law.hpp"

namespace acuity {

/// Columns of a table as numbers; a complaint about a missing one says what needs it.
Points read_columns(const Table& table, const std::vector<std::string>& names, std::string_view needed_for);

/// A pool, sigma^2(x) of the study, and its value at every point.
struct PoolWithNoise {
  Pool pool;
  std::shared_ptr<const NoiseLaw> law;
  Vector noise;
};

/// The pool that the study names, a CSV file or a pool file; throws InputError.
PoolWithNoise read_pool(const StudyFile& study);

}  // namespace acuity
