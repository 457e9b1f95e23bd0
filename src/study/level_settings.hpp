#pragma once

#include <vector>

#include "acuity/study/study_file.hpp"
#include "settings/toml_section.hpp"

// Reads what a study file has on offer: a ladder, or levels with prices and biases. Invalid values throw
// InputError.

namespace acuity {

/// Reads [precision].
LadderSetting read_ladder(const TomlSection& precision, const Target& target);

/// Reads [[level]]. With `bias_is_implied` levels that repeat themselves have a bias unless they state that
/// they have none, except the reference. `has_people`: an accuracy that is left out is learned by class.
std::vector<Level> read_price_list(const std::vector<TomlSection>& tables, const Target& target,
                                   bool bias_is_implied, bool has_people);

}  // namespace acuity
