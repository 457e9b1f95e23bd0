#pragma once

#include <string>

#include "acuity/campaign/event.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// What a plan of the budget expects, and what information per cost alone would buy; one sentence.
std::string to_text(const Planned& plan, const Study& study);

}  // namespace acuity
