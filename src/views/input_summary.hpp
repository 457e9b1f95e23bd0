#pragma once

#include <string>
#include <vector>

#include "acuity/data/pool.hpp"
#include "acuity/study/study.hpp"
#include "text/json.hpp"

namespace acuity {

/// What was understood of every input: "T (K): number, 300 to 400", "solvent: category, 4 values (DMF, THF,
/// ...)". Of many inputs the first twelve.
std::vector<std::string> input_lines(const Pool& pool);
/// Columns of text that nobody has named and that are therefore no inputs; empty if there are none.
std::string text_columns_line(const Study& study);

/// The same as objects with name, type, and unit, scale, low and high, or values.
Json inputs_json(const Pool& pool);

}  // namespace acuity
