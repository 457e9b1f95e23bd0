#pragma once

#include <string>

#include "explain/break_even_view.hpp"

namespace acuity {

/// Which precision has the most information per cost at every mean and standard deviation of f, with the
/// points of the pool as dots: a colour for each level where few win, shades of precision otherwise. `found`
/// has a map.
std::string level_map_svg(const BreakEven& found, const std::string& title, const std::string& subtitle);

}  // namespace acuity
