#pragma once

#include <optional>
#include <vector>

namespace acuity {

/// The error of a model when so much had been spent.
struct SpentError {
  double spent = 0.0, error = 0.0;
};

/// The relative change of the error over the last third of the money: -0.2 if it fell by a fifth.
/// Interpolated between the points, in logarithms. Nothing if there are fewer than three points or an error
/// is 0.
std::optional<double> recent_change(const std::vector<SpentError>& course);

/// The total that must have been spent until the error is that of a goal.
struct ProjectedSpending {
  double spent = 0.0;
  double low = 0.0;                           ///< it is hardly less than this
  std::optional<double> high = std::nullopt;  ///< nor more than this; absent: it may never be reached
};

/// Extrapolates a power law error ~ spent^-r. It is fitted to all points, to the later two thirds and to the
/// later half; the range is that of all three fits with twice their standard errors, so that it is wide if
/// the error does not follow a power law. Nothing if the error is not falling, or if fewer than six points
/// have an error above 0. `course` must be in the order of spending, `goal` below the last error.
std::optional<ProjectedSpending> projected_spending(const std::vector<SpentError>& course, double goal);

}  // namespace acuity
