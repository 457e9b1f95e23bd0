#pragma once

#include <string_view>
#include <vector>

#include "acuity/data/pool.hpp"
#include "acuity/study/study_file.hpp"

namespace acuity {

/// Whether a table of suggestions or answers has a column of this name besides the inputs.
bool is_campaign_column(std::string_view name);

/// What annotators see of a point (pool.display).
struct DisplayedColumns {
  std::vector<std::size_t> texts;   ///< columns of the pool that are no inputs (Pool::text_columns)
  std::vector<std::size_t> inputs;  ///< on a terminal; files have all of them
};

/// Without pool.display: all inputs, and all columns of text whose names are not columns of the sheet.
/// Throws InputError if a name of pool.display is not usable.
DisplayedColumns displayed_columns(const StudyFile& study, const Pool& pool);

}  // namespace acuity
