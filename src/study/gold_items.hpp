#pragma once

#include <vector>

#include "acuity/study/study.hpp"

namespace acuity {

/// Reads the table people.gold: points of the pool whose class is known, by row; none if the study names no
/// table. Throws InputError with file, line and column.
std::vector<GoldItem> read_gold(const StudyFile& file, const Pool& pool);

}  // namespace acuity
