#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pictures/svg_canvas.hpp"

// Lines, bands and marks on axes, one panel or several, as one self-contained SVG. `style` is a class whose
// colour fits the ground (svg_canvas).

namespace acuity {

struct PictureLine {
  std::vector<double> x, y;
  Stroke stroke;
};

struct PictureBand {
  std::vector<double> x, low, high;
  std::string style;
  double opacity = 0.15;
};

struct PictureMark {
  double x = 0.0, y = 0.0;
  double radius = 3.0;
  std::string style;
  bool hollow = false;
  double reach = 0.0;  ///< half the height of an error bar; 0: none
};

struct Panel {
  std::string title;  ///< empty: none
  std::string x_name, y_name;
  bool logarithmic = false;  ///< the vertical axis
  /// If empty, from the smallest to the largest value shown.
  std::optional<std::pair<double, double>> x_range, y_range;
  std::vector<std::string>
      rows;  ///< names instead of numbers on the vertical axis: the first, at 0, is on top
  std::vector<std::string> x_names;  ///< the same for the horizontal axis: the first, at 0, is on the left
  bool x_logarithmic = false;        ///< the horizontal axis
  std::vector<PictureBand> bands;
  std::vector<PictureLine> lines;
  std::vector<PictureMark> marks;
  std::vector<double> rug;  ///< short strokes along the bottom
};

struct PictureKey {
  enum class Kind { line, band, mark, hollow };
  std::string name;
  Kind kind = Kind::line;
  Stroke stroke;
  double opacity = 0.25;  ///< of a band
};

struct Picture {
  std::string title, subtitle;
  std::string description;  ///< for those who cannot see it
  std::vector<PictureKey> keys;
  std::vector<Panel> panels;
  int columns = 1;
  double panel_height = 260.0;
};

std::string picture_svg(const Picture& picture);

/// Names of samples, line by line from `top` on.
struct KeyLines {
  std::string svg;
  double bottom;
};
KeyLines key_lines(const std::vector<PictureKey>& keys, double left, double right, double top);

}  // namespace acuity
