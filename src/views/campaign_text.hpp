#pragma once

#include <ostream>
#include <string>

#include "acuity/campaign/campaign.hpp"
#include "text/result_table.hpp"
#include "text/time_text.hpp"

// Campaigns as text.

namespace acuity {

ResultTable::Cell level_cell(const std::string& level, std::optional<double> alpha);
ResultTable::Cell value_cell(const LevelValue& value);
/// Answers in a table for people: classes by their names if the study has some.
ResultTable::Cell answer_cell(const Study& study, const std::vector<double>& values);

/// The table of suggestions that `ask` prints, in each of the three formats; CSV is a form to fill in. With
/// `with_worker` the other two say who has them.
std::string suggestions_text(const Campaign& campaign, const std::vector<Suggestion>& suggestions,
                             Format format, bool with_worker = false);

}  // namespace acuity
