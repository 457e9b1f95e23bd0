#include "pictures/precision_course_svg.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "acuity/base/errors.hpp"
#include "pictures/svg_canvas.hpp"

namespace acuity {

namespace {

constexpr double courses_left = 106, courses_right = 740, courses_between = 28, panel_height = 150,
                 row_height = 214;

void check(const PrecisionCourse& course) {
  const std::string where = fmt::format("precision_course_svg: run \"{}\"", course.label);
  require(course.inverse_alpha.size() == course.spent.size(), where, "number of precisions",
          static_cast<double>(course.inverse_alpha.size()),
          fmt::format("{}, one per annotation", course.spent.size()));
  for (const double value : course.inverse_alpha)
    require(value >= 0.0 && value <= 1.0, where, "1 / alpha", value, "from 0 to 1");
}

// The stroke of the paper's method if the label begins with its name, as in other pictures.
std::string style_of(const std::string& label) {
  return strokes_of({label.substr(0, label.find_first_of(" ,:("))}).front().style;
}

Axis cost_axis(const std::vector<PrecisionCourse>& courses, const Box& box) {
  double low = 0.0, high = 0.0;
  bool any = false;
  for (const PrecisionCourse& course : courses)
    for (const double spent : course.spent) {
      low = any ? std::min(low, spent) : spent;
      high = any ? std::max(high, spent) : spent;
      any = true;
    }
  // A run that begins just above a round number, as after an initial set of ten, begins at it.
  const std::vector<double> before = linear_ticks(low - (high - low), low, 5);
  const double round = before.empty() ? low : before.back();
  return Axis::linear(low - round < 0.05 * (high - low) ? round : low, high, box.left, box.right);
}

std::string frame(const Box& box, const Axis& x, const Axis& y, bool named) {
  std::string svg;
  for (const double tick : {0.0, 0.5, 1.0}) {
    svg += svg_line("grid", box.left, y.at(tick), box.right, y.at(tick));
    if (!named) continue;
    const char* word = tick == 0.0 ? "exact " : tick == 1.0 ? "vaguest " : "";
    svg += svg_text("tick", box.left - 8, y.at(tick) + 4, "end", word + tick_text(tick));
  }
  for (const double tick : x.ticks(box.right - box.left > 400 ? 8 : 5))
    svg += svg_line("axis", x.at(tick), box.bottom, x.at(tick), box.bottom + 5) +
           svg_text("tick", x.at(tick), box.bottom + 19, "middle", tick_text(tick));
  svg += svg_line("axis", box.left, box.bottom, box.right, box.bottom);
  if (named) svg += svg_upright_text("label", 22, (box.top + box.bottom) / 2, "chosen 1 / α");
  return svg + svg_text("label", (box.left + box.right) / 2, box.bottom + 38, "middle", "total cost");
}

std::string steps(const PrecisionCourse& course, const Axis& x, const Axis& y) {
  std::string line, dots;
  for (std::size_t i = 0; i < course.spent.size(); ++i) {
    const double at = x.at(course.spent[i]), height = y.at(course.inverse_alpha[i]);
    if (i > 0) line += fmt::format("M{:.1f} {:.1f}H{:.1f}", x.at(course.spent[i - 1]), height, at);
    dots += fmt::format("M{:.1f} {:.1f}h.01", at, height);
  }
  if (dots.empty()) return "";
  return fmt::format(
      "<g class=\"{}\" fill=\"none\" stroke=\"currentColor\"><path d=\"{}\" stroke-width=\"1.6\" "
      "stroke-opacity=\"0.5\"/>"
      "<path d=\"{}\" stroke-width=\"4\" stroke-linecap=\"round\"/></g>\n",
      style_of(course.label), line, dots);
}

std::string count_text(std::size_t annotations) {
  return annotations == 1 ? "1 annotation" : fmt::format("{} annotations", annotations);
}

std::string panel(const PrecisionCourse& course, const Box& box, const Axis& x, bool named) {
  const Axis y = Axis::linear(0.0, 1.0, box.bottom, box.top);
  return svg_text("panel", box.left, box.top - 14, "start", course.label) +
         svg_text("note", box.right, box.top - 14, "end", count_text(course.spent.size())) +
         frame(box, x, y, named) + steps(course, x, y);
}

std::string description(const std::vector<PrecisionCourse>& courses) {
  std::string text = "Chosen 1 / alpha over total cost; 0 is exact, 1 the vaguest.";
  for (const PrecisionCourse& course : courses) {
    if (course.spent.empty()) continue;
    double sum = 0.0;
    for (const double value : course.inverse_alpha) sum += value;
    text += fmt::format(" {}: {}, {:.2g} on average, {:.2g} at the end.", course.label,
                        count_text(course.spent.size()), sum / static_cast<double>(course.spent.size()),
                        course.inverse_alpha.back());
  }
  return text;
}

}  // namespace

std::string precision_course_svg(const std::vector<PrecisionCourse>& courses, const std::string& title) {
  for (const PrecisionCourse& course : courses) check(course);
  const Heading head = heading(title, "A dot is an annotation, the line before it is as long as its cost.",
                               courses_left, courses_right);
  const std::size_t columns = courses.size() > 1 ? 2 : 1, rows = (courses.size() + columns - 1) / columns;
  const double panel_width =
      (courses_right - courses_left - courses_between * static_cast<double>(columns - 1)) /
      static_cast<double>(columns);
  std::string body = head.svg;
  for (std::size_t i = 0; i < courses.size(); ++i) {
    const double from = courses_left + static_cast<double>(i % columns) * (panel_width + courses_between),
                 top = head.bottom + 44 + static_cast<double>(i / columns) * (row_height + 20);
    const Box box{from, from + panel_width, top, top + panel_height};
    body += panel(courses[i], box, cost_axis(courses, box), i % columns == 0);
  }
  return svg_document(picture_width, head.bottom + 12 + static_cast<double>(rows) * (row_height + 20), title,
                      description(courses), body);
}

}  // namespace acuity
