#include "explain/goal_explanation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "acuity/data/observation.hpp"

namespace acuity {

namespace {

constexpr std::size_t most_places = 3;

// The variance of the answer, its noise included (math.md eq. (12.3)).
double answer_variance(const Marginals& there, const Channel& channel) {
  const double noisy = there.variance(0) + noise_variance(channel);
  const auto bias = static_cast<std::size_t>(bias_of(channel));
  if (bias == 0 || bias > there.errors.size()) return noisy;
  const LevelError& error = there.errors[bias - 1];
  return noisy + 2.0 * error.covariance(0) + error.variance(0);
}

double sd_of(double variance) {
  return std::sqrt(std::max(0.0, variance));
}

}  // namespace

// math.md eq. (13.3): f at goal point j falls by c_j^2 / (V + n) in variance.
std::optional<GoalExplanation> explain_goal(const Study& study, const StudyModel& model,
                                            const Marginals& there, const Channel& channel) {
  if (!study.goal() || !there.goal || !study.file().target->has_noise()) return std::nullopt;
  const GoalCovariances& goal = *there.goal;
  const Vector& weights = goal.weights();
  GoalExplanation found{
      .where = study.file().goal.value_or(GoalSetting()).whole_pool() ? "the pool" : "the goal",
      .by_variance = StudyLearner(study).criterion(model) == GoalCriterion::variance,
      .points = weights.size(),
      .variance = weights.dot(goal.variance()),
      .fall = 0.0,
      .places = {}};
  Vector covariance(weights.size());
  goal.at(0, bias_of(channel), covariance.data());
  const double total = answer_variance(there, channel);
  if (!(total > 0.0)) return found;
  const Vector falls = covariance.cwiseAbs2() / total, weighted = weights.cwiseProduct(falls);
  found.fall = weighted.sum();
  if (!(found.fall > 0.0) || weights.size() != study.goal()->size()) return found;
  std::vector<Index> order(static_cast<std::size_t>(weights.size()));
  std::iota(order.begin(), order.end(), 0);
  const std::size_t count = std::min(most_places, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](Index a, Index b) { return weighted(a) > weighted(b) || (weighted(a) == weighted(b) && a < b); });
  for (std::size_t k = 0; k < count; ++k) {
    const Index j = order[k];
    const auto inputs = study.goal()->points.row(j);
    found.places.push_back({.inputs = std::vector<double>(inputs.begin(), inputs.end()),
                            .share = weighted(j) / found.fall,
                            .sd_before = sd_of(goal.variance()(j)),
                            .sd_after = sd_of(goal.variance()(j) - falls(j))});
  }
  return found;
}

std::optional<BiasThere> bias_there(const Marginals& there, const Channel& channel) {
  const auto bias = static_cast<std::size_t>(bias_of(channel));
  if (bias == 0 || bias > there.errors.size()) return std::nullopt;
  const LevelError& error = there.errors[bias - 1];
  return BiasThere{.mean = error.mean(0), .sd = sd_of(error.variance(0))};
}

}  // namespace acuity
