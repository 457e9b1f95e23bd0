#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/state.hpp"

namespace acuity {

/// The levels of a campaign as plots and tables show them: single levels if there are few, ranges of
/// precision on a long ladder. Most precise first.
struct LevelGroups {
  std::vector<std::string> names;
  std::vector<std::size_t> of_suggestion;  ///< by id - 1; if answered, of the level that was used
};

LevelGroups level_groups(const State& state);

}  // namespace acuity
