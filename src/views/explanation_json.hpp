#pragma once

#include <string>

#include "campaign/explanation.hpp"

namespace acuity {

/// One object on one line.
std::string explanation_json(const Explanation& explanation);

}  // namespace acuity
