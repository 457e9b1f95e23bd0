#pragma once

#include <string>

#include "acuity/study/study.hpp"
#include "settings/rewrite_texts.hpp"

namespace acuity {

/// A pool as a CSV file with all digits, and the keys by which a study reads it again.
struct PoolTable {
  std::string csv;
  PoolKeys keys;
};

/// The inputs of a pool as a CSV file with all digits.
std::string write_points(const Pool& pool);

/// The pool of a study that was made from values: inputs, ids if present, and sigma^2 if it is a column.
PoolTable write_pool_table(const Study& study);

/// A goal that was given as values, as a table: its inputs, a column "weight", and sigma^2 if that is a
/// column of the study, called `noise`. Throws InputError if an input is called "weight" and the weights
/// differ.
std::string write_goal_table(const Study& study, const Goal& goal, const std::string& noise);

}  // namespace acuity
