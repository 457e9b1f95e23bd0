#pragma once

#include <ostream>
#include <string>

#include "acuity/campaign/campaign.hpp"
#include "text/result_table.hpp"
#include "text/time_text.hpp"

// How campaigns are shown.

namespace acuity {

ResultTable::Cell level_cell(const std::string& level, std::optional<double> alpha);
ResultTable::Cell value_cell(const LevelValue& value);

/// The table of suggestions that `ask` prints, in its three forms; CSV is a sheet for people to fill in.
std::string suggestions_text(const Campaign& campaign, const std::vector<Suggestion>& suggestions,
                             Format format);

/// A store on another machine is said: only processes of this one may open it at the same time.
void write_network_note(const Campaign& campaign, std::ostream& log);

}  // namespace acuity
