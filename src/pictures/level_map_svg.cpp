#include "pictures/level_map_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pictures/colour_map.hpp"

namespace acuity {

namespace {

constexpr double map_height = 300, map_left = 62, most_name_room = 200;

// Evenly over the colours; the two at the ends are too bright or dark for large areas and are used only if
// all are needed.
std::size_t colour_of(std::size_t winner, std::size_t winners) {
  if (winners < 2) return map_colours.size() / 2;
  const std::size_t first = winners + 2 > map_colours.size() ? 0 : 1;
  return first + winner * (map_colours.size() - 1 - 2 * first) / (winners - 1);
}

std::string winner_key(const std::vector<std::string>& winners, const Box& box, double room) {
  std::string svg;
  for (std::size_t k = 0; k < winners.size(); ++k) {
    // The most precise is on top, as everywhere on the page.
    const double y = box.top + 24.0 * static_cast<double>(winners.size() - 1 - k);
    svg +=
        fmt::format(
            "<rect class=\"ring\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"16\" height=\"16\" style=\"fill:{}\"/>\n",
            box.right + 14, y, map_colours[colour_of(k, winners.size())]) +
        svg_text("name", box.right + 38, y + 13, "start", shortened(winners[k], room - 40, 13.0));
  }
  return svg;
}

std::string pool_dots(const BreakEven& found, const Axis& x, const Axis& y) {
  std::string svg;
  for (std::size_t i = 0; i < found.pool_sd.size(); ++i)
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.2\"/>\n", x.at(found.pool_mean[i]),
                       y.at(found.pool_sd[i]));
  return "<g fill=\"#fff\" stroke=\"#111\" stroke-width=\"1\">\n" + svg + "</g>\n";
}

std::string axes(const Axis& x, const Axis& y, const Box& box) {
  std::string svg;
  for (const double tick : ticks_side_by_side(x))
    svg += svg_line("axis", x.at(tick), box.bottom, x.at(tick), box.bottom + 5) +
           svg_text("tick", x.at(tick), box.bottom + 19, "middle", tick_text(tick));
  for (const double tick : y.ticks(5))
    svg += svg_line("axis", box.left - 5, y.at(tick), box.left, y.at(tick)) +
           svg_text("tick", box.left - 8, y.at(tick) + 4, "end", tick_text(tick));
  return svg +
         svg_text("label", (box.left + box.right) / 2, box.bottom + 38, "middle", "mean of f at a point") +
         svg_upright_text("label", 20, (box.top + box.bottom) / 2, "standard deviation of f");
}

double winner_room(const std::vector<std::string>& winners) {
  double widest = 0.0;
  for (const std::string& winner : winners) widest = std::max(widest, text_width(winner, 13.0));
  return std::min(widest, most_name_room) + 42;
}

std::string described(const BreakEven& found) {
  std::string text = "A map over mean and standard deviation of f.";
  if (found.map->winners.empty())
    return text + fmt::format(" The best {} goes from {:.3g} to {:.3g}.", found.scale,
                              found.map->best.minCoeff(), found.map->best.maxCoeff());
  for (std::size_t k = 0; k < found.map->winners.size(); ++k)
    text += fmt::format(" {} wins on {:.0f} % of it.", found.map->winners[k],
                        100.0 * (found.map->best.array() == static_cast<double>(k)).cast<double>().mean());
  return text;
}

}  // namespace

std::string level_map_svg(const BreakEven& found, const std::string& title, const std::string& subtitle) {
  const BreakEven::Map& map = *found.map;
  const bool named = !map.winners.empty();
  const Heading head = heading(title, subtitle, 16, picture_width - 16);
  // At most two thirds of the page wide, to keep the proportions of the map.
  const double room = named ? winner_room(map.winners) : colour_key_room(found.low, found.high),
               top = head.bottom + (named ? 20 : 40);
  const Box box{map_left, std::min(picture_width - 18 - room, map_left + 520), top, top + map_height};
  const double across = map.mean.back() + (map.mean[1] - map.mean[0]) / 2,
               up = map.sd.back() + (map.sd[1] - map.sd[0]) / 2;
  const Axis x = Axis::linear(-across, across, box.left, box.right),
             y = Axis::linear(0.0, up, box.bottom, box.top);
  const auto colour = [&](Index row, Index column) {
    const double best = map.best(row, column);
    return named ? colour_of(static_cast<std::size_t>(best), map.winners.size())
                 : colour_step(best, found.low, found.high);
  };
  std::string body = head.svg + colour_cells(map.best.rows(), map.best.cols(), colour, box) +
                     pool_dots(found, x, y) + axes(x, y, box);
  if (named)
    body += winner_key(map.winners, box, room);
  else
    body += svg_text("label", box.right + 10, box.top - 12, "start", found.scale) +
            colour_key(found.low, found.high, box);
  return svg_document(picture_width, box.bottom + 52, title, described(found), body);
}

}  // namespace acuity
