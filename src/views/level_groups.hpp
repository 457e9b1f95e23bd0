#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/state.hpp"

namespace acuity {

/// The levels of a campaign as pictures and tables show them: one each where there are few, ranges of
/// precision on a long ladder. The most precise comes first.
struct LevelGroups {
  std::vector<std::string> names;
  std::vector<std::size_t> of_suggestion;  ///< by id - 1; of what was done where it is told
};

LevelGroups level_groups(const State& state, bool binary);

}  // namespace acuity
