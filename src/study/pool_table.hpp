#pragma once

#include <string>

#include "acuity/study/study.hpp"
#include "study/rewrite_texts.hpp"

namespace acuity {

/// A pool as a CSV file with all digits, and the keys by which a study reads it again.
struct PoolTable {
  std::string csv;
  PoolKeys keys;
};

/// The pool of a study that was made from values: inputs, ids if present, and sigma^2 if it is a column.
PoolTable write_pool_table(const Study& study);

}  // namespace acuity
