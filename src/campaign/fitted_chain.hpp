#pragma once

#include <optional>

#include "acuity/model/level_chain.hpp"
#include "acuity/store/event.hpp"
#include "acuity/study/study.hpp"

// A chain of levels as the event of a fit has it (docs/math.md 12.7).

namespace acuity {

void put_chain(const Study& study, const LearnedChain& learned, Fitted& fitted);

/// Empty if there is none, or if it is one of another study, which this study was before.
std::optional<LearnedChain> chain_of(const Study& study, const Fitted& fitted);

}  // namespace acuity
