#include "pictures/colour_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace acuity {

namespace {

constexpr double key_width = 14;

}  // namespace

std::size_t colour_step(double value, double low, double high) {
  const double share = high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.5;
  if (std::isnan(share)) return map_colours.size() / 2;
  return static_cast<std::size_t>(
      std::clamp(std::floor(share * map_colours.size()), 0.0, map_colours.size() - 1.0));
}

// Cells of one colour beside each other are one rectangle; the overlap hides the seams between rows.
std::string colour_cells(Index rows, Index columns, const std::function<std::size_t(Index, Index)>& step,
                         const Box& box) {
  std::array<std::string, map_colours.size()> paths;
  const double across = (box.right - box.left) / static_cast<double>(columns),
               up = (box.bottom - box.top) / static_cast<double>(rows);
  for (Index row = 0; row < rows; ++row)
    for (Index begin = 0, end = 0; begin < columns; begin = end) {
      const std::size_t colour = step(row, begin);
      while (end < columns && step(row, end) == colour) ++end;
      const double x = box.left + across * static_cast<double>(begin),
                   y = box.bottom - up * static_cast<double>(row + 1),
                   reach = std::min(across * static_cast<double>(end - begin) + 0.3, box.right - x);
      paths[colour] += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z", x, y, reach,
                                   std::min(up + 0.3, box.bottom - y), reach);
    }
  std::string svg;
  for (std::size_t k = 0; k < map_colours.size(); ++k)
    if (!paths[k].empty()) svg += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", map_colours[k], paths[k]);
  return svg;
}

std::string colour_key(double low, double high, const Box& box) {
  std::string svg;
  const double left = box.right + 10, each = (box.bottom - box.top) / static_cast<double>(map_colours.size());
  for (std::size_t k = 0; k < map_colours.size(); ++k)
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\"/>\n", left,
                       box.bottom - each * static_cast<double>(k + 1), key_width, each + 0.2, map_colours[k]);
  const Axis axis = Axis::linear(low, high, box.bottom, box.top);
  for (const double tick : axis.ticks(5))
    svg += svg_text("tick", left + key_width + 5, axis.at(tick) + 4, "start", tick_text(tick));
  return svg;
}

double colour_key_room(double low, double high) {
  double widest = 0.0;
  for (const double tick : linear_ticks(low, high, 5))
    widest = std::max(widest, text_width(tick_text(tick), 12.0));
  return 10 + key_width + 5 + widest;
}

}  // namespace acuity
