#include "pictures/picture_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace acuity {

namespace {

constexpr double picture_left = 8, picture_right = 18, row_gap = 24;

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void include(double value, bool positive = false) {
    if (!std::isfinite(value) || (positive && value <= 0.0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void include(const std::vector<double>& values, bool positive = false) {
    for (const double value : values) include(value, positive);
  }
  bool empty() const { return low > high; }
};

Range x_range(const Panel& panel) {
  if (panel.x_range) return {panel.x_range->first, panel.x_range->second};
  Range range;
  for (const PictureBand& band : panel.bands) range.include(band.x);
  for (const PictureLine& line : panel.lines) range.include(line.x);
  for (const PictureMark& mark : panel.marks) range.include(mark.x);
  range.include(panel.rug);
  return range.empty() ? Range{0.0, 1.0} : range;
}

Range y_range(const Panel& panel) {
  Range range;
  for (const PictureBand& band : panel.bands) {
    range.include(band.low, panel.logarithmic);
    range.include(band.high, panel.logarithmic);
  }
  for (const PictureLine& line : panel.lines) range.include(line.y, panel.logarithmic);
  for (const PictureMark& mark : panel.marks) {
    range.include(mark.y - mark.reach, panel.logarithmic);
    range.include(mark.y + mark.reach, panel.logarithmic);
  }
  return range.empty() ? Range{panel.logarithmic ? 0.1 : 0.0, 1.0} : range;
}

Axis x_axis(const Panel& panel, const Box& box) {
  if (!panel.x_names.empty())
    return Axis::linear(-0.5, static_cast<double>(panel.x_names.size()) - 0.5, box.left, box.right);
  const Range range = x_range(panel);
  if (panel.x_logarithmic && range.low > 0.0)
    return Axis::logarithmic(range.low, range.high, box.left, box.right);
  return Axis::linear(range.low, range.high, box.left, box.right);
}

// A margin above and below, so that nothing lies on the frame.
Axis y_axis(const Panel& panel, const Box& box) {
  if (!panel.rows.empty())
    return Axis::linear(-0.6, static_cast<double>(panel.rows.size()) - 0.4, box.top, box.bottom);
  if (panel.y_range) return Axis::linear(panel.y_range->first, panel.y_range->second, box.bottom, box.top);
  Range range = y_range(panel);
  if (panel.logarithmic) {
    const double low = std::max(range.low, range.high * 1e-9),
                 margin = std::max(std::pow(range.high / low, 0.05), 1.1);
    return Axis::logarithmic(low / margin, range.high * margin, box.bottom, box.top);
  }
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  double margin = 0.06 * range.high - 0.06 * range.low;  // the difference may be no number
  if (margin <= 1e-9 * size) margin = size > 0.0 ? 0.1 * size : 1.0;
  // Values that are never negative get an axis that does not begin below zero.
  const double low = range.low >= 0.0 ? std::max(range.low - margin, 0.0) : range.low - margin;
  return Axis::linear(low, range.high + margin, box.bottom, box.top);
}

int ticks_upwards(double room) {
  return std::clamp(static_cast<int>(room / 45.0), 5, 8);
}

std::string row_name(const std::string& name) {
  return shortened(name, 0.35 * picture_width, 12.0);
}

double tick_room(const Panel& panel, double height) {
  double widest = 0.0;
  if (panel.rows.empty())
    for (const double tick : y_axis(panel, {0, 1, 0, height}).ticks(ticks_upwards(height)))
      widest = std::max(widest, text_width(tick_text(tick), 12.0));
  for (const std::string& row : panel.rows) widest = std::max(widest, text_width(row_name(row), 12.0));
  return widest + (panel.y_name.empty() ? 22.0 : 34.0);
}

// Below its tick, but inside the picture.
double tick_name_at(double x, const std::string& name) {
  const double half = text_width(name, 12.0) / 2 + 2;
  return std::clamp(x, half, picture_width - half);
}

std::string frame(const Panel& panel, const Box& box, const Axis& x, const Axis& y, double room) {
  std::string svg;
  if (panel.rows.empty())
    for (const double tick : y.ticks(ticks_upwards(box.bottom - box.top)))
      svg += svg_line("grid", box.left, y.at(tick), box.right, y.at(tick)) +
             svg_text("tick", box.left - 8, y.at(tick) + 4, "end", tick_text(tick));
  for (std::size_t k = 0; k < panel.rows.size(); ++k) {
    const double at = y.at(static_cast<double>(k));
    svg += svg_line("grid", box.left, at, box.right, at) +
           svg_text("tick", box.left - 8, at + 4, "end", row_name(panel.rows[k]));
  }
  // As many names as fit side by side.
  const double each =
      (box.right - box.left) / static_cast<double>(std::max<std::size_t>(panel.x_names.size(), 1));
  const auto step = static_cast<std::size_t>(std::ceil(36.0 / each));
  for (std::size_t k = 0; k < panel.x_names.size(); k += step)
    svg += svg_line("axis", x.at(static_cast<double>(k)), box.bottom, x.at(static_cast<double>(k)),
                    box.bottom + 5) +
           svg_text("tick", x.at(static_cast<double>(k)), box.bottom + 19, "middle",
                    shortened(panel.x_names[k], each * static_cast<double>(step) - 4, 12.0));
  for (const double tick : panel.x_names.empty() ? ticks_side_by_side(x) : std::vector<double>())
    svg += svg_line("axis", x.at(tick), box.bottom, x.at(tick), box.bottom + 5) +
           svg_text("tick", tick_name_at(x.at(tick), tick_text(tick)), box.bottom + 19, "middle",
                    tick_text(tick));
  svg += svg_line("axis", box.left, box.bottom, box.right, box.bottom);
  if (!panel.title.empty())
    svg +=
        svg_text("panel", box.left, box.top - 8, "start", shortened(panel.title, box.right - box.left, 13.0));
  if (!panel.y_name.empty())
    svg += svg_upright_text("label", box.left - room + 14, (box.top + box.bottom) / 2,
                            shortened(panel.y_name, box.bottom - box.top + 30, 13.0));
  if (!panel.x_name.empty())
    svg += svg_text("label", (box.left + box.right) / 2, box.bottom + 38, "middle",
                    shortened(panel.x_name, box.right - box.left, 13.0));
  return svg;
}

std::string path_of(const std::vector<double>& x, const std::vector<double>& y, const Axis& across,
                    const Axis& up) {
  std::string d;
  bool pen = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool drawn = std::isfinite(x[i]) && std::isfinite(y[i]);
    if (drawn) d += fmt::format("{}{:.1f} {:.1f}", pen ? "L" : "M", across.at(x[i]), up.at(y[i]));
    pen = drawn;
  }
  return d;
}

std::string band_svg(const PictureBand& band, const Axis& x, const Axis& y) {
  std::string d = path_of(band.x, band.high, x, y);
  if (d.empty()) return "";
  for (std::size_t i = band.x.size(); i-- > 0;)
    if (std::isfinite(band.x[i]) && std::isfinite(band.low[i]))
      d += fmt::format("L{:.1f} {:.1f}", x.at(band.x[i]), y.at(band.low[i]));
  return fmt::format("<path class=\"{}\" d=\"{}Z\" fill=\"currentColor\" fill-opacity=\"{}\"/>\n", band.style,
                     d, band.opacity);
}

std::string stroke_svg(const std::string& d, const Stroke& stroke) {
  return fmt::format(
      "<path class=\"{}\" d=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" "
      "stroke-dasharray=\"{}\" stroke-linejoin=\"round\"/>\n",
      stroke.style, d, stroke.dashes);
}

std::string disc(double x, double y, double radius, const std::string& style, bool hollow) {
  return fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" {}/>\n", style, x, y,
                     radius,
                     hollow ? "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\""
                            : "fill=\"currentColor\" fill-opacity=\"0.7\"");
}

std::string mark_svg(const PictureMark& mark, const Axis& x, const Axis& y) {
  if (!std::isfinite(mark.x) || !std::isfinite(mark.y)) return "";
  std::string svg;
  if (mark.reach > 0.0)
    svg += stroke_svg(fmt::format("M{0:.1f} {1:.1f}V{2:.1f}", x.at(mark.x), y.at(mark.y - mark.reach),
                                  y.at(mark.y + mark.reach)),
                      {mark.style, "none"});
  return svg + disc(x.at(mark.x), y.at(mark.y), mark.radius, mark.style, mark.hollow);
}

std::string panel_svg(const Panel& panel, const Box& box, double room) {
  const Axis x = x_axis(panel, box), y = y_axis(panel, box);
  std::string svg = frame(panel, box, x, y, room);
  for (const PictureBand& band : panel.bands)
    if (!band.x.empty()) svg += band_svg(band, x, y);
  for (const PictureLine& line : panel.lines) svg += stroke_svg(path_of(line.x, line.y, x, y), line.stroke);
  for (const PictureMark& mark : panel.marks) svg += mark_svg(mark, x, y);
  std::string rug;
  for (const double at : panel.rug) rug += fmt::format("M{:.1f} {:.1f}v-9", x.at(at), box.bottom);
  if (!rug.empty())
    svg += fmt::format("<path class=\"random\" d=\"{}\" stroke=\"currentColor\" stroke-opacity=\"0.6\"/>\n",
                       rug);
  return svg;
}

std::string sample(const PictureKey& key, double x, double y) {
  switch (key.kind) {
    case PictureKey::Kind::line:
      return stroke_svg(fmt::format("M{:.1f} {:.1f}h28", x, y - 4), key.stroke);
    case PictureKey::Kind::band:
      return fmt::format(
          "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"28\" height=\"11\" fill=\"currentColor\" "
          "fill-opacity=\"{}\"/>\n",
          key.stroke.style, x, y - 10, key.opacity);
    case PictureKey::Kind::mark:
    case PictureKey::Kind::hollow:
      break;
  }
  return disc(x + 20, y - 4, 4, key.stroke.style, key.kind == PictureKey::Kind::hollow);
}

}  // namespace

KeyLines key_lines(const std::vector<PictureKey>& keys, double left, double right, double top) {
  KeyLines made{"", top};
  double x = left, y = top + 18;
  for (const PictureKey& key : keys) {
    const std::string name = shortened(key.name, right - left - 50, 13.0);
    const double size = 36 + text_width(name, 13.0) + 14;
    if (x > left && x + size > right) {
      x = left;
      y += 20;
    }
    made.svg += sample(key, x, y) + svg_text("name", x + 36, y, "start", name);
    made.bottom = y;
    x += size;
  }
  return made;
}

std::string picture_svg(const Picture& picture) {
  const Heading head = heading(picture.title, picture.subtitle, 16, picture_width - picture_right);
  const KeyLines keys = key_lines(picture.keys, 16, picture_width - picture_right, head.bottom + 4);
  double room = 0.0;
  bool titled = false, named = false;
  for (const Panel& panel : picture.panels) {
    room = std::max(room, tick_room(panel, picture.panel_height));
    titled = titled || !panel.title.empty();
    named = named || !panel.x_name.empty();
  }
  const double step = (picture_width - picture_left - picture_right) / picture.columns,
               row_height = picture.panel_height + (titled ? 22 : 0) + (named ? 46 : 28);
  std::string body = head.svg + keys.svg;
  double bottom = keys.bottom;
  for (std::size_t k = 0; k < picture.panels.size(); ++k) {
    const auto columns = static_cast<std::size_t>(picture.columns);
    const double left = picture_left + static_cast<double>(k % columns) * step,
                 top = keys.bottom + row_gap + (titled ? 22 : 0) +
                       static_cast<double>(k / columns) * (row_height + 14);
    const Box box{left + room, left + step - (picture.columns > 1 ? 12 : 0), top, top + picture.panel_height};
    body += panel_svg(picture.panels[k], box, room);
    bottom = box.bottom + (named ? 46 : 28);
  }
  return svg_document(picture_width, bottom + 6, picture.title, picture.description, body);
}

}  // namespace acuity
