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
};

/// Medians with quartile bands against cost, logarithmic in the error, as one self-contained SVG:
/// distinguishable without colour (dashes, direct labels), readable on light and dark ground.
std::string learning_curves_svg(const std::vector<LearningCurve>& curves, const LearningCurvesLabels& labels);

}  // namespace acuity
