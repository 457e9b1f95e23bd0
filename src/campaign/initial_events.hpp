#pragma once

#include <vector>

#include "acuity/store/event.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// A sentence if an input has the name of a column that `ask` prints; empty otherwise.
std::string input_name_problem(const Study& study);
/// Throws InputError if an input has the name of a column that `ask` prints, which would be ambiguous.
void require_input_names(const Study& study);

/// Throws InputError if the study's annotator cannot work. A campaign keeps the study it was created with, so
/// a mistake found by the first run could no longer be corrected.
void require_annotator(const Study& study);
/// The same with programs that are looked for in another folder than that of the study file.
void require_annotator(const Study& study, const std::filesystem::path& study_folder);

/// The first events of a campaign: its creation, and the answers known before (campaign.initial). Throws
/// InputError.
std::vector<Event> initial_events(const Study& study, Created created);

}  // namespace acuity
