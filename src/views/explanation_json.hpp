#pragma once

#include <string>

#include "explain/explanation.hpp"

namespace acuity {

/// The explanation as one JSON object on one line.
std::string explanation_json(const Explanation& explanation, const Study& study);

}  // namespace acuity
