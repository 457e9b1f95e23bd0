#include "pictures/belief_map_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

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
      failing_crosses(map.success, box) + dots(data, x, y) + colour_key(shown.low, shown.high, box);
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
  const Heading head =
      heading(title, data.books.target->dots_on_map() + where_runs_fail(map), 16, picture_width - 16);
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
