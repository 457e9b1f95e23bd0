#pragma once

#include <string>

#include "acuity/data/points.hpp"

namespace acuity {

/// Points of the plane in two classes.
struct ClassPoints {
  Points points;  ///< two columns
  Vector labels;  ///< -1 or +1, one per row of `points`
};

/// Pool and test set side by side, from -2 to 2 on both axes, as one self-contained SVG. The classes differ
/// in their marks' shape; of many points a fixed random part is drawn, and the picture says so.
std::string class_points_svg(const ClassPoints& pool, const ClassPoints& test, const std::string& title);

}  // namespace acuity
