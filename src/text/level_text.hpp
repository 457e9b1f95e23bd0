#pragma once

#include <optional>
#include <string>

#include "acuity/data/level.hpp"

namespace acuity {

/// A level as text: "alpha = 4" on a ladder, else its name, which may contain any characters.
std::string describe(const Level& level);
/// A level as text from its name or alpha in the log. Empty if it has neither.
std::string describe(const std::string& name, std::optional<double> alpha);

/// A level within a sentence: `alpha = 4` or `level "fine"`.
std::string describe_in_sentence(const Level& level);

/// "12 medium, 4 fine", without levels that are not bought; empty if none is.
std::string purchases_list(const std::vector<double>& counts, const std::vector<Level>& levels);
/// " (12 medium, 4 fine)", without levels that are not bought; empty if none is.
std::string purchases_text(const std::vector<double>& counts, const std::vector<Level>& levels);

}  // namespace acuity
