#include "study/sought.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "acuity/base/errors.hpp"
#include "base/text.hpp"
#include "data/as_size.hpp"
#include "model/goal_covariances.hpp"
#include "study/study_goal.hpp"

namespace acuity {

namespace {

constexpr Index most_drawn_jointly = 500;

// Weight 0: no goal point.
std::vector<Index> points_with_weight(const Goal& goal) {
  std::vector<Index> points;
  for (Index m = 0; m < goal.size(); ++m)
    if (goal.weights(m) > 0.0) points.push_back(m);
  return points;
}

std::optional<Index> row_at(const Pool& pool, const std::vector<double>& inputs) {
  for (Index row = 0; row < pool.size(); ++row)
    if (std::equal(inputs.begin(), inputs.end(), pool.point(row))) return row;
  return std::nullopt;
}

// The best mean first; ties in the order of the goal.
std::vector<Index> by_mean(const Vector& mean, bool lowest) {
  std::vector<Index> order(at(mean.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return lowest ? mean(a) < mean(b) : mean(a) > mean(b); });
  return order;
}

void find_best(const Study& study, const Goal& goal, const TargetPosterior& posterior, Index most,
               SoughtKnowledge& found) {
  const bool lowest = found.finding.sought == Finding::Sought::minimum;
  const std::vector<Index> given = points_with_weight(goal);
  const Points all = goal.points(given, Eigen::all);
  const Marginals f = posterior.predict(all);
  const std::vector<Index> leading = leading_points(f.mean, f.variance, most_drawn_jointly, lowest);
  const Points points = all(leading, Eigen::all);
  const Vector mean = f.mean(leading), variance = f.variance(leading).cwiseMax(0.0);
  const BestKnowledge drawn = best_knowledge(mean, posterior.covariance(points), lowest, study.file().seed);
  found.expected_regret = drawn.expected_regret;
  for (const Index i : by_mean(mean, lowest)) {
    if (static_cast<Index>(found.best.size()) == most) break;
    SoughtPoint point{.inputs = {points.row(i).data(), points.row(i).data() + points.cols()},
                      .row = {},
                      .mean = mean(i),
                      .sd = std::sqrt(variance(i)),
                      .probability = drawn.probability(i)};
    point.row = row_at(study.pool(), point.inputs);
    found.best.push_back(std::move(point));
  }
}

}  // namespace

std::optional<SoughtKnowledge> sought_knowledge(const Study& study, const StudyModel& model,
                                                const TargetPosterior& posterior, Index most) {
  const std::shared_ptr<const Goal> goal = sought_goal(study);
  if (!goal) return std::nullopt;
  SoughtKnowledge found{.finding = *study.file().goal->finding, .contour = {}, .best = {}};
  if (!found.finding.is_contour()) {
    find_best(study, *goal, posterior, most, found);
    return found;
  }
  found.finding.threshold = *sought_threshold(study);
  const Marginals f = posterior.predict(goal->points);
  found.contour = contour_knowledge(f.mean, f.variance, goal->weights, found.finding.threshold,
                                    known_variance(study, model));
  return found;
}

std::optional<double> sought_threshold(const Study& study) {
  const std::optional<GoalSetting>& goal = study.file().goal;
  if (!goal || !goal->finding || !goal->finding->is_contour()) return std::nullopt;
  return study.file().target->to_model(goal->finding->threshold);
}

std::string_view information_name(const StudyFile& file) {
  static constexpr std::string_view names[] = {"model", "target", "bald", "random", "goal"};
  return names[static_cast<std::size_t>(file.acquisition.kind)];
}

std::string sought_in_words(const StudyFile& file) {
  if (!file.goal || !file.goal->finding) return "";
  const Finding& finding = *file.goal->finding;
  const std::string name = one_line(file.target->name_or("f")), unit = one_line(file.target->label().unit);
  if (!finding.is_contour())
    return fmt::format("where {} is {}", name,
                       finding.sought == Finding::Sought::maximum ? "highest" : "lowest");
  return fmt::format("where {} is above {}{}", name, shortest(finding.threshold),
                     unit.empty() ? "" : " " + unit);
}

double error_for_study(const StudyFile& file, const Vector& mean, const Vector& truth,
                       const Vector& weights) {
  if (!file.goal || !file.goal->finding) return file.target->error_of(mean, truth, weights);
  const Finding& finding = *file.goal->finding;
  if (finding.is_contour()) {
    const double threshold = file.target->to_model(finding.threshold);
    double wrong = 0.0;
    for (Index m = 0; m < mean.size(); ++m)
      if ((mean(m) > threshold) != (truth(m) > threshold)) wrong += weights(m);
    return wrong;
  }
  const bool lowest = finding.sought == Finding::Sought::minimum;
  const std::vector<Index> order = by_mean(mean, lowest);
  const double chosen = truth(order.front());
  return lowest ? chosen - truth.minCoeff() : truth.maxCoeff() - chosen;
}

std::string error_measure_of(const StudyFile& file) {
  if (!file.goal || !file.goal->finding) return std::string(file.target->error_measure());
  return file.goal->finding->is_contour() ? "share on the wrong side" : "regret";
}

double known_variance(const Study& study, const StudyModel& model) {
  constexpr double share = 1e-9;
  const PointsRef points = study.pool().points();
  return share * model.prior.kernel->diagonal(model.prior.scaling.apply(points.topRows(1)))(0);
}

}  // namespace acuity
