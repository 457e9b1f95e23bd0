#include "pictures/class_points_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "acuity/base/errors.hpp"
#include "numerics/random.hpp"
#include "numerics/root_of_squares.hpp"
#include "pictures/svg_canvas.hpp"

namespace acuity {

namespace {

constexpr double panel_side = 320, panels_left = 50, panels_between = 44, reach = 2.0, crowd_reach = 0.25;
constexpr Index most_marks = 1500;

void check(const ClassPoints& set, const std::string& name) {
  const std::string where = "class_points_svg: " + name;
  require(set.points.cols() == 2 || set.points.rows() == 0, where, "number of columns",
          static_cast<double>(set.points.cols()), "2");
  require(set.labels.size() == set.points.rows(), where, "number of labels",
          static_cast<double>(set.labels.size()), fmt::format("{}, one per point", set.points.rows()));
  for (const double label : set.labels)
    require(label == 1.0 || label == -1.0, where, "label", label, "-1 or +1");
}

bool inside(const ClassPoints& set, Index i) {
  return std::abs(set.points(i, 0)) <= reach && std::abs(set.points(i, 1)) <= reach;
}

// Rows to draw. Chosen at random, because every k-th point could depend on the order of the set; with a
// fixed seed, so that the same set gives the same picture.
std::vector<Index> thinned(const ClassPoints& set) {
  std::vector<Index> kept;
  for (const std::int64_t i :
       numerics::Draws(1, numerics::Purpose::resampling).permutation(set.points.rows()))
    if (inside(set, i) && static_cast<Index>(kept.size()) < most_marks) kept.push_back(i);
  return kept;
}

Index count_inside(const ClassPoints& set) {
  Index count = 0;
  for (Index i = 0; i < set.points.rows(); ++i) count += inside(set, i);
  return count;
}

std::string mark(double x, double y, bool plus) {
  return plus ? fmt::format("M{:.1f} {:.1f}h5m-2.5-2.5v5", x - 2.5, y)
              : fmt::format("M{:.1f} {:.1f}h.01", x, y);
}

std::string marks_path(const std::string& d, bool plus, double opacity) {
  return d.empty() ? ""
                   : fmt::format(
                         "<path class=\"{}\" d=\"{}\" stroke=\"currentColor\" stroke-opacity=\"{}\" "
                         "stroke-width=\"{}\" stroke-linecap=\"{}\" fill=\"none\"/>\n",
                         plus ? "plus" : "minus", d, opacity, plus ? "1.1" : "3.4", plus ? "butt" : "round");
}

// One path paints overlapping marks only once, which hides their number; one path per mark makes large files.
// Therefore several layers with some marks each.
std::string marks(const ClassPoints& set, const std::vector<Index>& rows, const Axis& x, const Axis& y) {
  constexpr std::size_t per_layer = 60;
  std::string svg;
  for (std::size_t begin = 0; begin < rows.size(); begin += per_layer) {
    std::string minus, plus;
    for (std::size_t k = begin; k < std::min(begin + per_layer, rows.size()); ++k) {
      const bool is_plus = set.labels(rows[k]) > 0.0;
      (is_plus ? plus : minus) += mark(x.at(set.points(rows[k], 0)), y.at(set.points(rows[k], 1)), is_plus);
    }
    svg += marks_path(minus, false, 0.6) + marks_path(plus, true, 0.75);
  }
  return svg;
}

std::string frame(const Box& box, const Axis& x, const Axis& y) {
  std::string svg;
  for (const double tick : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
    svg += svg_line("grid", box.left, y.at(tick), box.right, y.at(tick)) +
           svg_line("grid", x.at(tick), box.top, x.at(tick), box.bottom) +
           svg_text("tick", x.at(tick), box.bottom + 18, "middle", tick_text(tick)) +
           svg_text("tick", box.left - 8, y.at(tick) + 4, "end", tick_text(tick));
  }
  return svg + svg_line("axis", box.left, box.bottom, box.right, box.bottom) +
         svg_line("axis", box.left, box.top, box.left, box.bottom);
}

// If most points of a pool lie at one place, overlapping marks do not show how many there are.
struct Crowd {
  double x, y;
  double share;  ///< of all points, within `crowd_reach` of the place
};

double share_near(const ClassPoints& set, double x, double y, Eigen::RowVector2d& mean) {
  Index count = 0;
  mean.setZero();
  for (Index i = 0; i < set.points.rows(); ++i)
    if (numerics::root_of_squares(set.points(i, 0) - x, set.points(i, 1) - y) <= crowd_reach) {
      mean += set.points.row(i);
      ++count;
    }
  if (count > 0) mean /= static_cast<double>(count);
  return static_cast<double>(count) / static_cast<double>(std::max<Index>(set.points.rows(), 1));
}

// The fullest cell of a coarse grid, moved to the mean of its points.
Crowd densest(const ClassPoints& set) {
  Crowd best{0.0, 0.0, 0.0};
  Eigen::RowVector2d mean, middle(0.0, 0.0);
  for (double x = -reach; x <= reach; x += crowd_reach)
    for (double y = -reach; y <= reach; y += crowd_reach)
      if (const double share = share_near(set, x, y, mean); share > best.share) {
        best = {x, y, share};
        middle = mean;
      }
  return {middle(0), middle(1), share_near(set, middle(0), middle(1), mean)};
}

std::string size_of(const ClassPoints& set, const std::vector<Index>& shown) {
  const Index all = set.points.rows(), outside = all - count_inside(set);
  std::string text = fmt::format("{} points", all);
  if (all - outside > static_cast<Index>(shown.size()))
    text += fmt::format(", {} of them drawn at random", shown.size());
  if (outside > 0) text += fmt::format(", {} outside", outside);
  return text;
}

std::string panel(const ClassPoints& set, const std::string& name, const Box& box) {
  const Axis x = Axis::linear(-reach, reach, box.left, box.right),
             y = Axis::linear(-reach, reach, box.bottom, box.top);
  const std::vector<Index> shown = thinned(set);
  std::string svg = svg_text("panel", box.left, box.top - 44, "start", name) +
                    svg_text("note", box.left, box.top - 27, "start", size_of(set, shown)) +
                    frame(box, x, y) + marks(set, shown, x, y) +
                    svg_text("label", (box.left + box.right) / 2, box.bottom + 38, "middle", "x₁") +
                    svg_text("label", box.left - 34, (box.top + box.bottom) / 2 + 4, "middle", "x₂");
  if (const Crowd crowd = densest(set); crowd.share >= 0.4)
    svg += fmt::format("<circle class=\"ring\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>\n", x.at(crowd.x),
                       y.at(crowd.y), x.at(crowd_reach) - x.at(0.0)) +
           svg_text("note", box.left, box.top - 11, "start",
                    fmt::format("{:.0f} % of the points lie in the ring", 100.0 * crowd.share));
  return svg;
}

std::string legend(double y) {
  std::string svg;
  const auto entry = [&](double x, bool plus, const char* text) {
    std::string d;
    for (const double at : {x, x + 9, x + 18}) d += mark(at, y - 4, plus);
    svg += marks_path(d, plus, 1.0) + svg_text("name", x + 28, y, "start", text);
  };
  entry(panels_left + 4, false, "class −1 (dots)");
  entry(panels_left + 164, true, "class +1 (crosses)");
  return svg;
}

std::string description(const ClassPoints& pool, const ClassPoints& test) {
  const auto counts = [](const ClassPoints& set) {
    const auto plus = (set.labels.array() > 0.0).count();
    return fmt::format("{} of class -1 and {} of class +1", set.labels.size() - plus, plus);
  };
  return fmt::format("Two panels of points in the plane. Pool: {}. Test set: {}.", counts(pool),
                     counts(test));
}

}  // namespace

std::string class_points_svg(const ClassPoints& pool, const ClassPoints& test, const std::string& title) {
  check(pool, "pool");
  check(test, "test set");
  const Heading head = heading(title, "", panels_left, picture_width - 12);
  const double top = head.bottom + 98;
  const Box first{panels_left, panels_left + panel_side, top, top + panel_side};
  const Box second{first.right + panels_between, first.right + panels_between + panel_side, top,
                   top + panel_side};
  return svg_document(
      picture_width, first.bottom + 52, title, description(pool, test),
      head.svg + legend(head.bottom + 26) + panel(pool, "pool", first) + panel(test, "test set", second));
}

}  // namespace acuity
