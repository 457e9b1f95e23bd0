#include "report/learning_curves_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace acuity {

namespace {

constexpr double width = 760, height = 460;
constexpr double left = 78, right = 640, top = 64, bottom = 398;

std::string escape(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

// Okabe and Ito's colours, which people with colour-blindness can tell apart; the dashes do without colour.
struct Stroke {
  const char* colour;
  const char* dashes;
};
constexpr Stroke strokes[] = {{"#888888", "2 3"},  {"#0072b2", "8 4"}, {"#009e73", "8 3 2 3"},
                              {"#d55e00", "none"}, {"#cc79a7", "4 4"}, {"#e69f00", "12 3"}};

// Linear in cost, logarithmic in error.
struct Axes {
  double cost_low, cost_high, error_low, error_high;

  double x(double cost) const { return left + (right - left) * (cost - cost_low) / (cost_high - cost_low); }
  double y(double error) const {
    return bottom - (bottom - top) * std::log(error / error_low) / std::log(error_high / error_low);
  }
};

Axes fit_axes(const std::vector<LearningCurve>& curves) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Axes axes{infinity, -infinity, infinity, 0.0};
  for (const LearningCurve& curve : curves) {
    axes.cost_low = std::min(axes.cost_low, curve.cost.front());
    axes.cost_high = std::max(axes.cost_high, curve.cost.back());
    for (const double low : curve.first_quartile) axes.error_low = std::min(axes.error_low, low);
    for (const double high : curve.third_quartile) axes.error_high = std::max(axes.error_high, high);
  }
  axes.error_low = std::max(axes.error_low, axes.error_high * 1e-9) / 1.06;
  axes.error_high *= 1.06;
  if (axes.cost_high <= axes.cost_low) axes.cost_high = axes.cost_low + 1.0;
  return axes;
}

// Round numbers: 1, 2, 5 in every decade.
std::vector<double> error_ticks(const Axes& axes) {
  std::vector<double> ticks;
  for (int decade = static_cast<int>(std::floor(std::log10(axes.error_low))); decade < 20; ++decade)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double tick = digit * std::pow(10.0, decade);
      if (tick > axes.error_high) return ticks;
      if (tick >= axes.error_low) ticks.push_back(tick);
    }
  return ticks;
}

std::vector<double> cost_ticks(const Axes& axes) {
  const double rough = (axes.cost_high - axes.cost_low) / 6.0,
               power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double digit : {5.0, 2.0, 1.0})
    if (digit * power >= rough) step = digit * power;
  std::vector<double> ticks;
  for (double tick = std::ceil(axes.cost_low / step) * step; tick <= axes.cost_high + 1e-9 * step;
       tick += step)
    ticks.push_back(tick);
  return ticks;
}

std::string grid(const Axes& axes, const LearningCurvesLabels& labels) {
  std::string svg;
  for (const double tick : error_ticks(axes))
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>\n",
        left, right, axes.y(tick), axes.y(tick), left - 8, axes.y(tick) + 4, tick);
  for (const double tick : cost_ticks(axes))
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:g}</text>\n",
        axes.x(tick), axes.x(tick), bottom, bottom + 5, axes.x(tick), bottom + 20, tick);
  svg += fmt::format("<line class=\"axis\" x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\"/>\n", left, right,
                     bottom);
  svg += fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                     (left + right) / 2, bottom + 44, escape(labels.cost));
  svg += fmt::format(
      "<text class=\"label\" transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      (top + bottom) / 2, escape(labels.error));
  return svg;
}

std::string path(const Axes& axes, const std::vector<double>& cost, const std::vector<double>& error,
                 bool back) {
  std::string d;
  for (std::size_t i = 0; i < cost.size(); ++i) {
    const std::size_t k = back ? cost.size() - 1 - i : i;
    d += fmt::format("{}{:.1f} {:.1f}", d.empty() && !back ? "M" : "L", axes.x(cost[k]),
                     axes.y(std::max(error[k], axes.error_low)));
  }
  return d;
}

std::string curve_svg(const Axes& axes, const LearningCurve& curve, const Stroke& stroke) {
  return fmt::format(
      "<path d=\"{}{}Z\" fill=\"{}\" fill-opacity=\"0.16\"/>\n"
      "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.2\" stroke-dasharray=\"{}\"/>\n",
      path(axes, curve.cost, curve.third_quartile, false), path(axes, curve.cost, curve.first_quartile, true),
      stroke.colour, path(axes, curve.cost, curve.median, false), stroke.colour, stroke.dashes);
}

// Names at the right end of each curve, pushed apart where they would touch.
std::string direct_labels(const Axes& axes, const std::vector<LearningCurve>& curves) {
  std::vector<std::pair<double, std::size_t>> places;
  for (std::size_t i = 0; i < curves.size(); ++i) places.emplace_back(axes.y(curves[i].median.back()), i);
  std::sort(places.begin(), places.end());
  double previous = -1e9;
  for (auto& [y, i] : places) previous = y = std::max(y, previous + 17.0);
  const double overshoot = std::max(0.0, places.back().first - bottom + 2);
  std::string svg;
  for (const auto& [y, i] : places) {
    const Stroke& stroke = strokes[i % std::size(strokes)];
    svg += fmt::format(
        "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"2.2\" "
        "stroke-dasharray=\"{}\"/><text class=\"name\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        right + 8, right + 38, y - overshoot, y - overshoot, stroke.colour, stroke.dashes, right + 44,
        y - overshoot + 4, escape(curves[i].method));
  }
  return svg;
}

}  // namespace

std::string learning_curves_svg(const std::vector<LearningCurve>& curves,
                                const LearningCurvesLabels& labels) {
  const Axes axes = fit_axes(curves);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\" "
      "aria-label=\"{2}\">\n"
      "<style>text{{font-family:Helvetica,Arial,sans-serif;font-size:13px;fill:#222}}.title{{font-size:17px;"
      "font-weight:bold}}.tick{{font-size:12px}}.grid{{stroke:#888;stroke-opacity:.35}}.axis{{stroke:#222}}"
      ".ground{{fill:#fff}}@media(prefers-color-scheme:dark){{text{{fill:#e8e8e8}}.axis{{stroke:#e8e8e8}}"
      ".ground{{fill:#16181c}}}}</style>\n"
      "<rect class=\"ground\" width=\"{0}\" height=\"{1}\"/>\n"
      "<text class=\"title\" x=\"{3}\" y=\"28\">{2}</text>\n<text x=\"{3}\" y=\"48\">{4}</text>\n",
      width, height, escape(labels.title), left, escape(labels.subtitle));
  svg += grid(axes, labels);
  for (std::size_t i = 0; i < curves.size(); ++i)
    svg += curve_svg(axes, curves[i], strokes[i % std::size(strokes)]);
  svg += direct_labels(axes, curves);
  return svg + "</svg>\n";
}

}  // namespace acuity
