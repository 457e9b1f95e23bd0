#pragma once

#include <string>
#include <vector>

#include "acuity/data/pool.hpp"
#include "acuity/study/study_file.hpp"
#include "settings/toml_section.hpp"

// A pool that no table has: points drawn in the ranges of the inputs.

namespace acuity {

/// Reads the keys of [pool] about it, once the inputs are known; `tables` are those of the inputs. Sets
/// `drawing`, and `pool_file` if the points are in a file already.
void read_drawing(const TomlSection& pool, const std::vector<TomlSection>& tables, StudyFile& study);

/// Draws the pool of a study with a `drawing`. The first points are the same however many are drawn. Throws
/// InputError if the condition holds nearly nowhere.
Pool draw_pool(const StudyFile& study);

/// "20000 points drawn by the seed 1, where speed * load < 20000"
std::string drawing_text(const PoolDrawing& drawing, std::int64_t points);

}  // namespace acuity
