#pragma once

#include <string>

#include "explain/explanation.hpp"

namespace acuity {

/// The reason that decided, in a sentence or two for everybody: what the answer does, or why it comes first.
std::string reason_text(const Explanation& explanation, const Study& study);

}  // namespace acuity
