#include "model/goal_covariances.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "data/as_size.hpp"

namespace acuity {

namespace {

// Those of some points.
class SomeGoalCovariances final : public GoalCovariances {
 public:
  SomeGoalCovariances(std::shared_ptr<const GoalCovariances> all, std::span<const Index> points)
      : all_(std::move(all)), points_(points.begin(), points.end()) {}

  const Vector& weights() const override { return all_->weights(); }
  const Vector& mean() const override { return all_->mean(); }
  const Vector& variance() const override { return all_->variance(); }
  const Vector& noise() const override { return all_->noise(); }
  void at(Index point, int bias, double* out) const override {
    all_->at(points_[acuity::at(point)], bias, out);
  }
  double weighted_squares(Index point, int bias) const override {
    return all_->weighted_squares(points_[acuity::at(point)], bias);
  }

 private:
  std::shared_ptr<const GoalCovariances> all_;
  std::vector<Index> points_;
};

Vector some_entries(const Vector& all, std::span<const Index> points) {
  Vector some(static_cast<Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i) some(static_cast<Index>(i)) = all(points[i]);
  return some;
}

}  // namespace

void StoredGoalCovariances::at(Index point, int bias, double* out) const {
  const Matrix& c = covariances_[static_cast<std::size_t>(bias)];
  std::copy_n(c.col(point).data(), c.rows(), out);
}

double StoredGoalCovariances::weighted_squares(Index point, int bias) const {
  return goal_.weights.dot(covariances_[static_cast<std::size_t>(bias)].col(point).cwiseAbs2());
}

ThinnedGoal thin(const Vector& weights, Index most) {
  ThinnedGoal some;
  if (weights.size() <= most) {
    for (Index m = 0; m < weights.size(); ++m) some.points.push_back(m);
    some.weights = weights;
    return some;
  }
  const double step = weights.sum() / static_cast<double>(most);
  std::vector<double> counts;
  double sum = 0.0, next = 0.5 * step;
  for (Index m = 0; m < weights.size(); ++m) {
    sum += weights(m);
    double count = 0.0;
    for (; next < sum; next += step) ++count;
    if (count > 0.0) some.points.push_back(m), counts.push_back(count);
  }
  some.weights = Eigen::Map<const Vector>(counts.data(), static_cast<Index>(counts.size()));
  some.weights /= some.weights.sum();
  return some;
}

GoalBelief some_of(const GoalBelief& all, const std::vector<Index>& points) {
  GoalBelief some{.weights = all.weights(points),
                  .mean = all.mean(points),
                  .variance = all.variance(points),
                  .noise = all.noise(points)};
  some.weights /= some.weights.sum();
  return some;
}

std::vector<Index> leading_points(const Vector& mean, const Vector& variance, Index most, bool lowest) {
  constexpr double deviations = 3.0;
  std::vector<Index> points(static_cast<std::size_t>(mean.size()));
  std::iota(points.begin(), points.end(), Index{0});
  if (mean.size() <= most) return points;
  const Vector highest = (lowest ? -1.0 : 1.0) * mean + deviations * variance.cwiseMax(0.0).cwiseSqrt();
  std::nth_element(points.begin(), points.begin() + most, points.end(), [&](Index a, Index b) {
    return highest(a) > highest(b) || (highest(a) == highest(b) && a < b);
  });
  points.resize(static_cast<std::size_t>(most));
  std::sort(points.begin(), points.end());
  return points;
}

void check_goal(const Goal& goal, Index inputs, const char* place) {
  if (goal.size() > 0 && goal.points.cols() == inputs && goal.weights.size() == goal.size() &&
      (goal.noise.size() == 0 || goal.noise.size() == goal.size()))
    return;
  throw std::invalid_argument(
      std::string(place) +
      ": the goal must have at least one point with the inputs of the pool, and one weight per point");
}

std::map<Index, EarlierAnswers> earlier_of(const std::map<Index, EarlierAnswers>& all,
                                           std::span<const Index> points) {
  std::map<Index, EarlierAnswers> some;
  if (all.empty()) return some;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (const auto found = all.find(points[i]); found != all.end())
      some.emplace(static_cast<Index>(i), found->second);
  return some;
}

Marginals some_of(const Marginals& all, std::span<const Index> points) {
  Marginals some{some_entries(all.mean, points), some_entries(all.variance, points)};
  for (const LevelError& error : all.errors)
    some.errors.push_back({.mean = some_entries(error.mean, points),
                           .variance = some_entries(error.variance, points),
                           .covariance = some_entries(error.covariance, points)});
  if (all.goal) some.goal = std::make_shared<SomeGoalCovariances>(all.goal, points);
  some.earlier = earlier_of(all.earlier, points);
  some.known_variance = all.known_variance;
  return some;
}

}  // namespace acuity
