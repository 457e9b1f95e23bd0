#pragma once

#include <string>
#include <vector>

namespace acuity {

/// The precision of every annotation of one run.
struct PrecisionCourse {
  std::string label;
  std::vector<double> spent;          ///< total cost, the annotation included
  std::vector<double> inverse_alpha;  ///< 1 / alpha: 0 is exact, 1 the vaguest
};

/// The chosen 1 / alpha of every annotation over the total cost, one panel per run on common axes, as one
/// self-contained SVG. An annotation is a step as wide as its price with a dot at its end.
std::string precision_course_svg(const std::vector<PrecisionCourse>& courses, const std::string& title);

}  // namespace acuity
