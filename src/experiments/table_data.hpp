#pragma once

#include <filesystem>
#include <string>

#include "acuity/data/table.hpp"
#include "experiments/problem.hpp"

namespace acuity {

/// A table of measurements that the user has, and how it is recognised.
struct ExpectedTable {
  std::string file;  ///< in the user's folder
  Index rows, columns;
  std::string first_column, target;  ///< the target is the last column
};

const ExpectedTable& concrete_table();
const ExpectedTable& superconductivity_table();

/// Throws InputError if the file is missing or is another table.
Table read_expected_table(const ExpectedTable& expected, const std::filesystem::path& folder);

/// Of its cells as they are written.
std::string table_checksum(const Table& table);

/// Four fifths of the rows, in random order, are the pool, the others the test set (docs/math.md 10). `size`
/// cuts both if it is smaller.
Problem table_problem(const Table& table, Precisions precisions, const ProblemSize& size,
                      const Repeat& repeat);

}  // namespace acuity
