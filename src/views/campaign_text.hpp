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
/// `with_worker` the other two say who has them. With a dialect the form is a sheet for people, without
/// columns of information.
std::string suggestions_text(const Campaign& campaign, const std::vector<Suggestion>& suggestions,
                             Format format, bool with_worker = false,
                             std::optional<CsvDialect> dialect = std::nullopt);

/// The money that can still be spent; 0 if it is less than rounding leaves over.
double free_money(const State& state);

/// Why there is no more to ask for, for people: "the budget is spent" where `reason` is the library's for
/// that, otherwise the reason.
std::string end_text(const State& state, const std::string& reason);

/// That a run at a level takes more than a tenth of the budget; empty if it does not. `expected`: what the
/// next one costs; `state`: of a campaign in which runs may have taken so much, or null.
std::string large_run_text(const Study& study, const State* state, const std::string& level, double expected,
                           double budget);

}  // namespace acuity
