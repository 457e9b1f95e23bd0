#pragma once

#include <vector>

#include "acuity/campaign/event.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// Throws InputError where an input is called like a column that `ask` prints: they could not be told apart.
void require_input_names(const Study& study);

/// Throws InputError where the study's annotator could not answer. A campaign keeps the study it began with:
/// a mistake found by the first run could not be corrected any more.
void require_annotator(const Study& study);

/// The first events of a campaign: that it was created, and what was known before (campaign.initial). Throws
/// InputError.
std::vector<Event> initial_events(const Study& study, Created created);

}  // namespace acuity
