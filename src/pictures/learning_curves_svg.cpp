#include "pictures/learning_curves_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "pictures/svg_canvas.hpp"

namespace acuity {

namespace {

constexpr double plot_height = 334, label_gap = 18;
constexpr int error_ticks = 8;

// Leaves out what is not finite: a method may not have been evaluated at every cost.
LearningCurve drawable(const LearningCurve& curve) {
  const std::size_t size = curve.cost.size();
  if (curve.first_quartile.size() != size || curve.median.size() != size ||
      curve.third_quartile.size() != size)
    throw std::invalid_argument(fmt::format(
        "learning_curves_svg: curve \"{}\" has {} costs, {} medians and {} and {} quartiles, must have as "
        "many of each",
        curve.method, size, curve.median.size(), curve.first_quartile.size(), curve.third_quartile.size()));
  LearningCurve kept{.method = curve.method};
  for (std::size_t i = 0; i < size; ++i) {
    if (!std::isfinite(curve.first_quartile[i] + curve.median[i] + curve.third_quartile[i])) continue;
    kept.cost.push_back(curve.cost[i]);
    kept.first_quartile.push_back(curve.first_quartile[i]);
    kept.median.push_back(curve.median[i]);
    kept.third_quartile.push_back(curve.third_quartile[i]);
  }
  return kept;
}

struct CurveRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(const std::vector<double>& values, double above = -std::numeric_limits<double>::infinity()) {
    for (const double value : values)
      if (value > above) {
        low = std::min(low, value);
        high = std::max(high, value);
      }
  }
  bool empty() const { return !(low <= high); }
};

struct Axes {
  Axis cost, error;
};

Axis cost_axis(const std::vector<LearningCurve>& curves, const Box& box) {
  CurveRange range;
  for (const LearningCurve& curve : curves) range.include(curve.cost);
  return range.empty() ? Axis::linear(0.0, 1.0, box.left, box.right)
                       : Axis::linear(range.low, range.high, box.left, box.right);
}

// An error of exactly zero is drawn at the lower end of a logarithmic axis.
Axis error_axis(const std::vector<LearningCurve>& curves, const Box& box, bool logarithmic) {
  CurveRange range;
  for (const LearningCurve& curve : curves)
    for (const auto* values : {&curve.first_quartile, &curve.median, &curve.third_quartile})
      range.include(*values, logarithmic ? 0.0 : -std::numeric_limits<double>::infinity());
  if (range.empty()) return Axis::linear(0.0, 1.0, box.bottom, box.top);
  if (logarithmic) {
    const double low = std::max(range.low, range.high * 1e-9),
                 margin = std::max(std::pow(range.high / low, 0.03), 1.01);
    return Axis::logarithmic(low / margin, range.high * margin, box.bottom, box.top);
  }
  if (range.high <= range.low) range = {range.low - 0.1, range.high + 0.1};
  const std::vector<double> ticks = linear_ticks(range.low, range.high, 7);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : range.high - range.low;
  return Axis::linear(std::floor(range.low / step + 1e-6) * step, std::ceil(range.high / step - 1e-6) * step,
                      box.bottom, box.top);
}

std::vector<std::string> error_label(const LearningCurvesLabels& labels) {
  const std::string hint = labels.higher_is_better ? "(higher is better)" : "(lower is better)";
  const double room = plot_height + 90;
  if (text_width(labels.error + " " + hint, 13.0) <= room) return {labels.error + " " + hint};
  std::vector<std::string> lines = wrapped(labels.error, room, 13.0);
  lines.push_back(hint);
  return lines;
}

// Room for the axis' name and its widest number.
double margin_of_ticks(const Axis& error, const LearningCurvesLabels& labels) {
  double widest = 0.0;
  for (const double tick : error.ticks(error_ticks))
    widest = std::max(widest, text_width(tick_text(tick), 12.0));
  return 4 + 16 * static_cast<double>(error_label(labels).size()) + 10 + widest + 8;
}

std::string frame(const Axes& axes, const Box& box, const LearningCurvesLabels& labels) {
  std::string svg;
  for (const double tick : axes.error.ticks(error_ticks)) {
    const double y = axes.error.at(tick);
    svg += svg_line("grid", box.left, y, box.right, y) +
           svg_text("tick", box.left - 8, y + 4, "end", tick_text(tick));
  }
  for (const double tick : axes.cost.ticks(6)) {
    const double x = axes.cost.at(tick);
    svg += svg_line("axis", x, box.bottom, x, box.bottom + 5) +
           svg_text("tick", x, box.bottom + 20, "middle", tick_text(tick));
  }
  svg += svg_line("axis", box.left, box.bottom, box.right, box.bottom);
  double below = box.bottom + 27;
  for (const std::string& line : wrapped(labels.cost, box.right - box.left, 13.0))
    svg += svg_text("label", (box.left + box.right) / 2, below += 17.0, "middle", line);
  double beside = 4;
  for (const std::string& line : error_label(labels))
    svg += svg_upright_text("label", beside += 16.0, (box.top + box.bottom) / 2, line);
  return svg;
}

std::string path(const Axes& axes, const std::vector<double>& cost, const std::vector<double>& error) {
  std::string d;
  for (std::size_t i = 0; i < cost.size(); ++i)
    d += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", axes.cost.at(cost[i]), axes.error.at(error[i]));
  return d;
}

std::string band_path(const Axes& axes, const LearningCurve& curve) {
  std::string d = path(axes, curve.cost, curve.third_quartile);
  for (std::size_t i = curve.cost.size(); i-- > 0;)
    d += fmt::format("L{:.1f} {:.1f}", axes.cost.at(curve.cost[i]), axes.error.at(curve.first_quartile[i]));
  return d + "Z";
}

// Methods whose curves are indistinguishable in this picture.
struct Drawn {
  std::string name;
  std::string band, line;
  std::vector<Stroke> strokes;
  double end;
};

std::vector<Drawn> drawn_curves(const Axes& axes, const std::vector<LearningCurve>& curves) {
  std::vector<std::string> names;
  for (const LearningCurve& curve : curves) names.push_back(curve.method);
  const std::vector<Stroke> strokes = strokes_of(names);
  std::vector<Drawn> all;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (curves[i].cost.empty()) continue;
    const std::string band = band_path(axes, curves[i]), line = path(axes, curves[i].cost, curves[i].median);
    const auto same = std::find_if(
        all.begin(), all.end(), [&](const Drawn& other) { return other.band == band && other.line == line; });
    if (same == all.end()) {
      all.push_back({curves[i].method, band, line, {strokes[i]}, axes.error.at(curves[i].median.back())});
    } else {
      same->name += " = " + curves[i].method;
      same->strokes.push_back(strokes[i]);
    }
  }
  // Dashes over solid lines: where curves run together for a while both stay visible.
  const auto solid_first = [](const Stroke& a, const Stroke& b) { return a.solid() && !b.solid(); };
  for (Drawn& drawn : all) std::stable_sort(drawn.strokes.begin(), drawn.strokes.end(), solid_first);
  std::stable_sort(all.begin(), all.end(), [&](const Drawn& a, const Drawn& b) {
    return solid_first(a.strokes.front(), b.strokes.front());
  });
  return all;
}

std::string stroke_svg(const std::string& d, const Stroke& stroke, double thickness) {
  return fmt::format(
      "<path class=\"{}\" d=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"{}\" "
      "stroke-dasharray=\"{}\" stroke-linejoin=\"round\"/>\n",
      stroke.style, d, thickness, stroke.dashes);
}

// Equal curves: the first as two rails, the others between them, distinguishable without colour.
std::string strokes_svg(const std::string& d, const std::vector<Stroke>& strokes) {
  if (strokes.size() == 1) return stroke_svg(d, strokes.front(), 2.2);
  std::string svg = stroke_svg(d, {strokes.front().style, "none"}, 6.4);
  svg += fmt::format("<path class=\"casing\" d=\"{}\" fill=\"none\" stroke-width=\"3.6\"/>\n", d);
  for (std::size_t i = 1; i < strokes.size(); ++i) svg += stroke_svg(d, strokes[i], 2.2);
  return svg;
}

std::string band_svg(const Drawn& drawn) {
  return fmt::format("<path class=\"{}\" d=\"{}\" fill=\"currentColor\" fill-opacity=\"0.13\"/>\n",
                     drawn.strokes.front().style, drawn.band);
}

// Names at the right end of each curve, as near to it as possible without overlap.
std::string direct_labels(const std::vector<Drawn>& curves, const Box& box) {
  std::vector<double> ends;
  for (const Drawn& drawn : curves) ends.push_back(drawn.end);
  const std::vector<double> places = spread(ends, label_gap, box.top + 4, box.bottom - 4);
  std::string svg;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    svg += svg_line("leader", box.right + 3, ends[i], box.right + 14, places[i]);
    svg += strokes_svg(fmt::format("M{:.1f} {:.1f}h32", box.right + 16, places[i]), curves[i].strokes);
    svg += svg_text("name", box.right + 54, places[i] + 4, "start", curves[i].name);
  }
  return svg;
}

// The description for screen readers.
std::string description(const std::vector<LearningCurve>& curves, const LearningCurvesLabels& labels) {
  std::string text = fmt::format("{} against {}. Medians at the end:", labels.error, labels.cost);
  for (const LearningCurve& curve : curves)
    if (!curve.cost.empty())
      text += fmt::format(" {} {:.3g} at {:g};", curve.method, curve.median.back(), curve.cost.back());
  text.back() = '.';
  return text;
}

}  // namespace

std::string learning_curves_svg(const std::vector<LearningCurve>& curves,
                                const LearningCurvesLabels& labels) {
  std::vector<LearningCurve> kept;
  for (const LearningCurve& curve : curves) kept.push_back(drawable(curve));

  const auto axes_in = [&](const Box& box) {
    return Axes{cost_axis(kept, box), error_axis(kept, box, labels.logarithmic)};
  };
  // The width of ticks and names decides how much room is left for the axes, but ticks and shared names are
  // known only with axes: make them in a box of arbitrary width first.
  const Box any{80, 600, 0, plot_height};
  const double left = margin_of_ticks(axes_in(any).error, labels);
  double longest = 0.0;
  for (const Drawn& drawn : drawn_curves(axes_in(any), kept))
    longest = std::max(longest, text_width(drawn.name, 13.0));
  const Heading head = heading(labels.title, labels.subtitle, left, picture_width - 12);
  const double top = head.bottom + 18;
  const Box box{left, std::max(picture_width - 62 - longest, picture_width / 2), top, top + plot_height};

  const Axes axes = axes_in(box);
  const std::vector<Drawn> drawn = drawn_curves(axes, kept);
  std::string body = head.svg + frame(axes, box, labels);
  for (const Drawn& one : drawn) body += band_svg(one);
  for (const Drawn& one : drawn) body += strokes_svg(one.line, one.strokes);
  body += direct_labels(drawn, box);
  const auto cost_lines = static_cast<double>(wrapped(labels.cost, box.right - box.left, 13.0).size());
  return svg_document(picture_width, box.bottom + 41 + 17 * cost_lines, labels.title,
                      description(kept, labels), body);
}

}  // namespace acuity
