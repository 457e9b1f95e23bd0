#pragma once

#include <string>
#include <vector>

#include "acuity/data/input.hpp"
#include "acuity/data/table.hpp"
#include "settings/toml_section.hpp"

// Inputs as a study file describes them, and their values in tables.

namespace acuity {

/// Reads [[input]]; throws InputError. Categories without an order get their values from the pool.
std::vector<Input> read_input_settings(const std::vector<TomlSection>& tables);

/// A cell as a value of an input; throws InputError with file, line and column if it is none.
double read_input(const Table& table, Index row, Index column, const Input& input);

/// The columns of all inputs as points. `values` of categories are extended by the names that are new, in the
/// order of their rows, if `accept_new_names`; otherwise these are refused. The error message about a missing
/// column contains `needed_for`.
Points read_input_columns(const Table& table, std::vector<Input>& inputs, bool accept_new_names,
                          const std::string& needed_for);

}  // namespace acuity
