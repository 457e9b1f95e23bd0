#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study.hpp"

namespace acuity {

/// The levels of a campaign as plots and tables show them: single levels if there are few, ranges of
/// precision on a long ladder. Most precise first, by what the study says of them.
struct LevelGroups {
  std::vector<std::string> names;
  std::vector<std::size_t> of_suggestion;  ///< by id - 1; if answered, of the level that was used
};

LevelGroups level_groups(const Study& study, const State& state);

/// How far its answers may be from the truth; smaller is more precise. Classes: the probability of a wrong
/// answer. Numbers: the variance of the error, with what is assumed about its bias.
double vagueness(const Level& level);
/// The order in which levels are shown.
bool is_more_precise(const Level& a, const Level& b);

}  // namespace acuity
