#pragma once

#include <string>
#include <string_view>
#include <vector>

// Shared by all pictures, which are self-contained SVG and follow the reader's light or dark colour scheme.

namespace acuity {

/// Text as it may stand between tags and inside quoted attributes, of XML and of HTML. Control characters and
/// bytes that are not UTF-8 are shown as escapes, as on a terminal.
std::string escape_markup(std::string_view text);

/// Every picture is as wide, so that they stand in one column of a page.
constexpr double picture_width = 760;

/// The rectangle of a panel in its picture.
struct Box {
  double left, right, top, bottom;
};

/// Round numbers from low to high, `about` of them, at equal distances; none if the two are too close to have
/// any between them.
std::vector<double> linear_ticks(double low, double high, int about);

/// Round numbers from low to high, both positive: few per decade if there are many decades, more
/// if there are few, at least four unless the two are too close.
std::vector<double> logarithmic_ticks(double low, double high);

/// A tick as people write it: 0.02, −1.5, 3·10⁻⁷.
std::string tick_text(double value);

/// From values to places in the picture.
class Axis {
 public:
  static Axis linear(double low, double high, double from, double to);
  static Axis logarithmic(double low, double high, double from, double to);

  double low() const { return low_; }
  double high() const { return high_; }

  /// A value outside the axis is clamped to its end; NaN is placed at its beginning.
  double at(double value) const;

  std::vector<double> ticks(int about = 6) const;

 private:
  Axis(bool logarithmic, double low, double high, double from, double to);

  bool logarithmic_;
  double low_, high_, from_, to_;
};

/// How a method is drawn: `style` is a class whose `color` fits the ground, dashes do without colour.
struct Stroke {
  std::string style;
  std::string dashes;

  bool solid() const { return dashes == "none"; }
};

/// One stroke per name. The paper's methods have the same stroke in every picture; other names
/// take further strokes in their order.
std::vector<Stroke> strokes_of(const std::vector<std::string>& names);

/// Different strokes for `count` things without names of their own, such as levels: the first is always the
/// same. From the ninth on they repeat.
std::vector<Stroke> strokes_in_order(std::size_t count);

/// An upper estimate of the width of a line of text; the reader's font is not known.
double text_width(std::string_view text, double font_size);

/// The text, or as much of its beginning as fits, and an ellipsis.
std::string shortened(const std::string& text, double width, double font_size);

/// As many round numbers along an axis as fit side by side, at least two if possible.
std::vector<double> ticks_side_by_side(const Axis& axis);

/// Lines of whole words that fit; a word that does not has a line for itself.
std::vector<std::string> wrapped(const std::string& text, double width, double font_size);

/// Places as near as possible (in squares) to those wanted, in the same order, `gap` apart, within low and
/// high if there is room.
std::vector<double> spread(const std::vector<double>& wanted, double gap, double low, double high);

/// Title and subtitle at the top of a picture, and where the rest may begin.
struct Heading {
  std::string svg;
  double bottom;
};
Heading heading(const std::string& title, const std::string& subtitle, double left, double right);

std::string svg_line(std::string_view style, double x1, double y1, double x2, double y2);
std::string svg_text(std::string_view style, double x, double y, std::string_view anchor,
                     std::string_view text);
/// Text rotated to be read from bottom to top, as the name of a vertical axis.
std::string svg_upright_text(std::string_view style, double x, double y, std::string_view text);

/// The whole file around `body`; `title` and `description` are for those who cannot see it.
std::string svg_document(double width, double height, const std::string& title,
                         const std::string& description, const std::string& body);

}  // namespace acuity
