#pragma once

#include <string>
#include <vector>

#include "experiments/learning_curve.hpp"

namespace acuity {

struct LearningCurvesLabels {
  std::string title;
  std::string subtitle;
  std::string cost = "cost";
  std::string error = "test error";
  bool logarithmic = true;        ///< false for shares such as accuracies
  bool higher_is_better = false;  ///< said beside the axis
};

/// Medians with quartile bands against cost as one self-contained SVG: distinguishable without colour
/// (dashes, direct labels), readable on light and dark ground. Methods with the same curve share one label,
/// "a = b".
std::string learning_curves_svg(const std::vector<LearningCurve>& curves, const LearningCurvesLabels& labels);

}  // namespace acuity
