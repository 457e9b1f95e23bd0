#include "views/belief_views.hpp"

#include <algorithm>
#include <cmath>

#include "acuity/acquisition/classification_information.hpp"
#include "views/median.hpp"

namespace acuity {

namespace {

constexpr Index curve_points = 161, slice_points = 61, map_columns = 60, map_rows = 48;
constexpr Index most_slices = 12;

Vector grid(double low, double high, Index count) {
  if (!(high > low)) high = low + 1.0;
  return Vector::LinSpaced(count, low, high);
}

BeliefCurve curve(const CampaignModel& model, const Points& at, Index input, const std::string& name,
                  const Target& target) {
  BeliefCurve found{.input = name, .x = {}, .middle = {}, .low = {}, .high = {}};
  const Marginals belief = model.posterior().predict(at);
  for (Index i = 0; i < at.rows(); ++i) {
    const double mean = belief.mean(i), reach = 2.0 * std::sqrt(belief.variance(i));
    found.x.push_back(at(i, input));
    // Classes: the band is that of the latent f, mapped to probabilities.
    found.middle.push_back(target.to_answer(target.expectation({mean, belief.variance(i)})));
    found.low.push_back(target.to_answer(target.expectation({mean - reach, 0.0})));
    found.high.push_back(target.to_answer(target.expectation({mean + reach, 0.0})));
  }
  return found;
}

BeliefMap map_of(const CampaignModel& model, const PointsRef& pool, const Target& target) {
  const Vector x = grid(pool.col(0).minCoeff(), pool.col(0).maxCoeff(), map_columns),
               y = grid(pool.col(1).minCoeff(), pool.col(1).maxCoeff(), map_rows);
  Points at(map_columns * map_rows, 2);
  for (Index row = 0; row < map_rows; ++row)
    for (Index column = 0; column < map_columns; ++column)
      at.row(row * map_columns + column) << x(column), y(row);
  const Marginals belief = model.posterior().predict(at);
  const Vector middle =
      model.posterior().expectation(at).unaryExpr([&](double value) { return target.to_answer(value); });
  const Vector sd = belief.variance.cwiseSqrt();
  const auto in_rows = [](const Vector& values) -> Matrix {
    return Eigen::Map<const Points>(values.data(), map_rows, map_columns);
  };
  return {.x = {x.begin(), x.end()}, .y = {y.begin(), y.end()}, .middle = in_rows(middle), .sd = in_rows(sd)};
}

BeliefViews slices(const Study& study, const CampaignModel& model,
                   const std::vector<Importance>& importance) {
  const std::vector<std::string>& inputs = study.pool().inputs();
  BeliefViews found;
  const PointsRef pool = study.pool().points();
  Vector middle(pool.cols());
  for (Index k = 0; k < pool.cols(); ++k) middle(k) = median_of(pool.col(k));
  found.others_at.assign(middle.begin(), middle.end());
  std::vector<Index> order;  // most important first, if known
  for (const Importance& one : importance)
    order.push_back(std::find(inputs.begin(), inputs.end(), one.input) - inputs.begin());
  for (Index k = 0; order.empty() && k < pool.cols(); ++k) order.push_back(k);
  for (std::size_t i = 0; i < std::min(order.size(), static_cast<std::size_t>(most_slices)); ++i) {
    const Index k = order[i];
    Points at = middle.transpose().replicate(slice_points, 1);
    at.col(k) = grid(pool.col(k).minCoeff(), pool.col(k).maxCoeff(), slice_points);
    found.curves.push_back(curve(model, at, k, inputs[static_cast<std::size_t>(k)], *study.file().target));
  }
  return found;
}

}  // namespace

BeliefViews belief_views(const Study& study, const CampaignModel& model,
                         const std::vector<Importance>& importance) {
  const PointsRef pool = study.pool().points();
  BeliefViews found;
  if (pool.rows() == 0) return found;

  if (pool.cols() > 2) return slices(study, model, importance);
  if (pool.cols() == 2)
    found.map = map_of(model, pool, *study.file().target);
  else
    found.curves.push_back(curve(model, grid(pool.minCoeff(), pool.maxCoeff(), curve_points), 0,
                                 study.pool().inputs().front(), *study.file().target));
  return found;
}

}  // namespace acuity
