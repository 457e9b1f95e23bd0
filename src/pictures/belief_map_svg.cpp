#include "pictures/belief_map_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "pictures/colour_map.hpp"

namespace acuity {

namespace {

constexpr double map_side = 300;

struct Shown {
  std::string title;
  const Matrix& values;
  double low, high;
};

std::string dots(const CampaignData& data, const Axis& x, const Axis& y) {
  std::string svg;
  for (std::size_t i = 0; i < data.answers.all.size(); ++i) {
    const double radius = precision_radius(data, data.answers.all[i]);
    const bool filled = data.books.target->is_dark(data.answers.all[i].value);
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.2\"/>\n",
        x.at(data.answers.places[i][0]), y.at(data.answers.places[i][1]), radius, filled ? "#111" : "#fff",
        filled ? "#fff" : "#111");
  }
  return svg;
}

// A small cross on every second cell where more runs fail than succeed.
std::string failing_crosses(const Matrix& success, const Box& box) {
  constexpr double even = 0.5, size = 2.0;
  constexpr Index apart = 2;
  const double width = (box.right - box.left) / static_cast<double>(success.cols()),
               height = (box.bottom - box.top) / static_cast<double>(success.rows());
  std::string path;
  for (Index row = 0; row < success.rows(); row += apart)
    for (Index column = 0; column < success.cols(); column += apart) {
      if (success(row, column) >= even) continue;
      const double x = box.left + (static_cast<double>(column) + 0.5) * width,
                   y = box.bottom - (static_cast<double>(row) + 0.5) * height;
      path += fmt::format("M{:.1f} {:.1f}l{} {}m0 -{}l-{} {}", x - size, y - size, 2 * size, 2 * size,
                          2 * size, 2 * size, 2 * size);
    }
  return path.empty() ? ""
                      : fmt::format(
                            "<path class=\"failing\" d=\"{}\" stroke=\"#b00020\" "
                            "stroke-width=\"1\" fill=\"none\"/>\n",
                            path);
}

struct Spot {
  double x, y;
};

// The pieces of the line where the values cross a level, cell by cell of the grid, as one path.
std::string crossing_path(const Matrix& values, double level, const std::vector<Spot>& nodes) {
  const auto node = [&](Index row, Index column) {
    return nodes[static_cast<std::size_t>(row * values.cols() + column)];
  };
  std::string path;
  for (Index row = 0; row + 1 < values.rows(); ++row)
    for (Index column = 0; column + 1 < values.cols(); ++column) {
      const std::array<std::pair<Index, Index>, 4> corners{
          {{row, column}, {row, column + 1}, {row + 1, column + 1}, {row + 1, column}}};
      std::vector<Spot> crossings;
      for (std::size_t k = 0; k < 4; ++k) {
        const auto [r, c] = corners[k];
        const auto [other_r, other_c] = corners[(k + 1) % 4];
        const double here = values(r, c) - level, there = values(other_r, other_c) - level;
        if ((here > 0.0) == (there > 0.0)) continue;
        const double share = here / (here - there);
        const Spot a = node(r, c), b = node(other_r, other_c);
        crossings.push_back({a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)});
      }
      for (std::size_t k = 0; k + 1 < crossings.size(); k += 2)
        path += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", crossings[k].x, crossings[k].y,
                            crossings[k + 1].x, crossings[k + 1].y);
    }
  return path;
}

// The line where f is as likely above the threshold as below, and dashed the edges of the band where it is
// not certain.
std::string contour_lines(const BeliefMap& map, const Axis& x, const Axis& y) {
  if (map.above.size() == 0) return "";
  constexpr double certain = 0.025;
  std::vector<Spot> nodes;
  for (const double at_y : map.y)
    for (const double at_x : map.x) nodes.push_back({x.at(at_x), y.at(at_y)});
  std::string svg;
  for (const double level : {certain, 1.0 - certain, 0.5}) {
    const std::string path = crossing_path(map.above, level, nodes);
    if (path.empty()) continue;
    svg += fmt::format(
        "<path d=\"{0}\" fill=\"none\" stroke=\"#fff\" stroke-width=\"{1}\"/>\n"
        "<path class=\"contour\" d=\"{0}\" fill=\"none\" stroke=\"#111\" stroke-width=\"{2}\"{3}/>\n",
        path, level == 0.5 ? 4.0 : 2.6, level == 0.5 ? 2.0 : 1.2,
        level == 0.5 ? "" : " stroke-dasharray=\"4 3\"");
  }
  return svg;
}

Axis axis_of(const std::vector<double>& values, bool logarithmic, double from, double to) {
  return logarithmic ? Axis::logarithmic(values.front(), values.back(), from, to)
                     : Axis::linear(values.front(), values.back(), from, to);
}

std::string panel(const CampaignData& data, const Shown& shown, const Box& box, bool named) {
  const BeliefMap& map = *data.belief.map;
  const Axis x = axis_of(map.x, map.x_logarithmic, box.left, box.right),
             y = axis_of(map.y, map.y_logarithmic, box.bottom, box.top);
  std::string svg =
      svg_text("panel", box.left, box.top - 10, "start", shortened(shown.title, box.right - box.left, 13.0)) +
      colour_cells(
          shown.values.rows(), shown.values.cols(),
          [&](Index row, Index column) {
            return colour_step(shown.values(row, column), shown.low, shown.high);
          },
          box) +
      failing_crosses(map.success, box) + contour_lines(map, x, y) + dots(data, x, y) +
      colour_key(shown.low, shown.high, box);
  for (const double tick : ticks_side_by_side(x))
    svg += svg_line("axis", x.at(tick), box.bottom, x.at(tick), box.bottom + 5) +
           svg_text("tick", x.at(tick), box.bottom + 19, "middle", tick_text(tick));
  for (const double tick : y.ticks(5)) {
    svg += svg_line("axis", box.left - 5, y.at(tick), box.left, y.at(tick));
    if (named) svg += svg_text("tick", box.left - 8, y.at(tick) + 4, "end", tick_text(tick));
  }
  svg += svg_text("label", (box.left + box.right) / 2, box.bottom + 38, "middle",
                  shortened(data.books.columns[0].label(), box.right - box.left, 13.0));
  if (named)
    svg += svg_upright_text("label", 20, (box.top + box.bottom) / 2,
                            shortened(data.books.columns[1].label(), box.bottom - box.top, 13.0));
  return svg;
}

std::string where_runs_fail(const BeliefMap& map) {
  const bool any = map.success.size() > 0 && map.success.minCoeff() < 0.5;
  return any ? " Crosses: more runs fail than succeed." : "";
}

Shown shown_of(const std::string& title, const Matrix& values) {
  const double low = values.minCoeff(), high = values.maxCoeff();
  const double margin = high - low > 1e-12 * std::abs(high) ? 0.0 : std::max(0.1 * std::abs(high), 0.1);
  return {title, values, low - margin, high + margin};
}

}  // namespace

double precision_radius(const CampaignData& data, const ReportedAnswer& answer) {
  double least = answer.noise, most = answer.noise;
  for (const ReportedAnswer& other : data.answers.all) {
    least = std::min(least, other.noise);
    most = std::max(most, other.noise);
  }
  return most > least ? 2.8 + 2.6 * (most - answer.noise) / (most - least) : 3.5;
}

std::string belief_map_svg(const CampaignData& data) {
  const BeliefMap& map = *data.belief.map;
  Shown middle = shown_of(data.books.target->middle(), map.middle);
  if (const auto range = data.books.target->prediction_range()) std::tie(middle.low, middle.high) = *range;
  const Shown spread = shown_of("standard deviation of " + data.books.target->latent(), map.sd);
  const std::string title = data.books.target->map_title();
  std::string note = data.books.target->dots_on_map() + where_runs_fail(map);
  if (map.above.size() > 0) note += " Line: the threshold; dashed: where it is not certain.";
  const Heading head = heading(title, note, 16, picture_width - 16);
  double ticks = 0.0;
  for (const double tick : axis_of(map.y, map.y_logarithmic, 1, 0).ticks(5))
    ticks = std::max(ticks, text_width(tick_text(tick), 12.0));
  const double left = 36 + ticks,
               room = std::max(colour_key_room(middle.low, middle.high),
                               colour_key_room(spread.low, spread.high)),
               each = std::min((picture_width - left - 2 * room - 36) / 2, map_side), top = head.bottom + 40;
  const Box first{left, left + each, top, top + each};
  const Box second{first.right + room + 22, first.right + room + 22 + each, top, top + each};
  return svg_document(
      picture_width, first.bottom + 52, title,
      fmt::format("Two maps over {} and {}. {} from {:.3g} to {:.3g}; {} from {:.3g} to {:.3g}.",
                  data.books.inputs[0], data.books.inputs[1], middle.title, map.middle.minCoeff(),
                  map.middle.maxCoeff(), spread.title, map.sd.minCoeff(), map.sd.maxCoeff()),
      head.svg + panel(data, middle, first, true) + panel(data, spread, second, false));
}

}  // namespace acuity
