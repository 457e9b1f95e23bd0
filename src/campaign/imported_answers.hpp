#pragma once

#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "campaign/study_change.hpp"

// What a campaign learns from an earlier one: its answers become those of a retired level with a bias
// (docs/commands/import.md).

namespace acuity {

/// Answers of an earlier campaign in terms of a study; they have no level yet.
struct ImportedAnswers {
  std::string level;            ///< the name of the level that they become answers of
  std::vector<Answer> answers;  ///< with inputs, in the order of the study
  ImportResult result;
};

/// Throws InputError if the inputs or the answers of the two do not correspond, or there is no answer.
ImportedAnswers imported_answers(const Campaign& earlier, const Study& study, const ImportOptions& chosen);

/// The study of a campaign with the new level, as a change. `from` names the earlier campaign. Throws
/// InputError if the study cannot have the level.
StudyComparison comparison_of_import(const ImportedAnswers& known, const Study& study, const State& state,
                                     const std::string& from);

/// The events by which the answers enter: `next` is the study with the level, `after` the state with it.
/// Counts the answers outside the pool in `known.result`.
std::vector<Event> told_by(ImportedAnswers& known, const Study& next, const State& after);

}  // namespace acuity
