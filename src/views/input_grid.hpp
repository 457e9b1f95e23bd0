#pragma once

#include <vector>

#include "acuity/data/pool.hpp"

namespace acuity {

/// The median of every input of the pool; of inputs with names the most frequent value, of equally frequent
/// ones the first.
Vector usual_values(const Pool& pool);

/// Values of an input over the range of the pool: `count` numbers at equal distances, in logarithms on a log
/// scale; every value of an input with names.
Vector values_along(const Pool& pool, Index input, Index count);

}  // namespace acuity
