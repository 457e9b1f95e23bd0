#pragma once

#include <vector>

#include "acuity/study/study.hpp"

namespace acuity {

/// The biases of the levels that may be related to f in any way, from the coarsest level on; empty if the
/// study has none, or learns nothing from them.
std::vector<int> chained_biases(const Study& study);

}  // namespace acuity
