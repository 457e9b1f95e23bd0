#pragma once

#include <array>
#include <functional>
#include <string>

#include "acuity/data/points.hpp"
#include "pictures/svg_canvas.hpp"

// Maps in steps of colour that differ by their lightness alone.

namespace acuity {

/// Viridis in nine steps, monotone from dark to light.
inline constexpr std::array<const char*, 9> map_colours{"#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c",
                                                        "#28ae80", "#5ec962", "#addc30", "#fde725"};

/// The index of the colour for a value between low and high.
std::size_t colour_step(double value, double low, double high);

/// A box full of cells, row by row from the bottom; `step` says the colour of each.
std::string colour_cells(Index rows, Index columns, const std::function<std::size_t(Index, Index)>& step,
                         const Box& box);

/// The key of the colours, right of the box, and the room it takes.
std::string colour_key(double low, double high, const Box& box);
double colour_key_room(double low, double high);

}  // namespace acuity
