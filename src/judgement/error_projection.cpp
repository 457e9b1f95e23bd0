#include "judgement/error_projection.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace acuity {

namespace {

constexpr std::size_t fewest_points = 6, fewest_fitted = 4;

// A straight line through logarithms: log error = height - slope * (log spent - log of the last spent).
struct PowerLaw {
  double height = 0.0, slope = 0.0;
  double slope_error = 0.0;

  // How many times as much must have been spent, in logarithms, at a given slope.
  double log_factor(double goal, double slope_taken) const { return (height - std::log(goal)) / slope_taken; }
};

std::vector<SpentError> usable(const std::vector<SpentError>& course) {
  std::vector<SpentError> points;
  for (const SpentError& one : course)
    if (one.spent > 0.0 && one.error > 0.0 && std::isfinite(one.spent) && std::isfinite(one.error) &&
        (points.empty() || one.spent > points.back().spent))
      points.push_back(one);
  return points;
}

std::optional<PowerLaw> fitted(const std::vector<SpentError>& points, std::size_t first) {
  const std::size_t count = points.size() - first;
  if (count < fewest_fitted) return std::nullopt;
  const double last = std::log(points.back().spent);
  double x_mean = 0.0, y_mean = 0.0;
  for (std::size_t k = first; k < points.size(); ++k) {
    x_mean += (std::log(points[k].spent) - last) / static_cast<double>(count);
    y_mean += std::log(points[k].error) / static_cast<double>(count);
  }
  double xx = 0.0, xy = 0.0, yy = 0.0;
  for (std::size_t k = first; k < points.size(); ++k) {
    const double x = std::log(points[k].spent) - last - x_mean, y = std::log(points[k].error) - y_mean;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  if (!(xx > 0.0)) return std::nullopt;
  const double slope = xy / xx;
  const double residual = std::max(0.0, yy - slope * xy) / static_cast<double>(count - 2);
  return PowerLaw{
      .height = y_mean - slope * x_mean, .slope = -slope, .slope_error = std::sqrt(residual / xx)};
}

}  // namespace

std::optional<double> recent_change(const std::vector<SpentError>& course) {
  const std::vector<SpentError> points = usable(course);
  if (points.size() < 3) return std::nullopt;
  const double at = points.back().spent * 2.0 / 3.0;
  if (at < points.front().spent) return std::nullopt;
  const auto after =
      std::find_if(points.begin() + 1, points.end(), [&](const SpentError& one) { return one.spent >= at; });
  const auto before = after - 1;
  const double share = std::clamp((at - before->spent) / (after->spent - before->spent), 0.0, 1.0);
  const double then = (1.0 - share) * std::log(before->error) + share * std::log(after->error);
  return points.back().error / std::exp(then) - 1.0;
}

std::optional<ProjectedSpending> projected_spending(const std::vector<SpentError>& course, double goal) {
  const std::vector<SpentError> points = usable(course);
  if (points.size() < fewest_points || !(goal > 0.0)) return std::nullopt;
  ProjectedSpending found;
  const double last = points.back().spent;
  double lowest = HUGE_VAL, highest = 0.0;
  bool is_open = false;  // a slope of 0 is possible
  for (const std::size_t first : {std::size_t(0), points.size() / 3, points.size() / 2}) {
    const std::optional<PowerLaw> law = fitted(points, first);
    if (!law) continue;
    // The one in the middle is the projection: early answers follow another law, and few vary much.
    if (first == points.size() / 3) {
      if (!(law->slope > law->slope_error)) return std::nullopt;
      found.spent = last * std::exp(std::max(0.0, law->log_factor(goal, law->slope)));
    }
    const double steep = law->slope + 2.0 * law->slope_error, flat = law->slope - 2.0 * law->slope_error;
    if (steep > 0.0) lowest = std::min(lowest, law->log_factor(goal, steep));
    if (flat > 0.0)
      highest = std::max(highest, law->log_factor(goal, flat));
    else
      is_open = true;
  }
  if (!(found.spent > 0.0) || !std::isfinite(found.spent)) return std::nullopt;
  found.low = std::min(found.spent, last * std::exp(std::max(0.0, lowest)));
  const double high = last * std::exp(highest);
  if (!is_open && std::isfinite(high)) found.high = std::max(found.spent, high);
  return found;
}

}  // namespace acuity
