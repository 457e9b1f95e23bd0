#include "views/belief_views.hpp"

#include <algorithm>

#include "study/sought.hpp"
#include "views/input_grid.hpp"

namespace acuity {

namespace {

constexpr Index curve_points = 161, slice_points = 61, map_columns = 60, map_rows = 48;
constexpr Index most_slices = 12;

BeliefCurve curve(const Study& study, const AveragedBelief& belief, const Points& at, Index input) {
  const Input& described = study.pool().columns()[static_cast<std::size_t>(input)];
  const ShownBelief shown = belief.at(at);
  const auto list = [](const Vector& values) { return std::vector<double>(values.begin(), values.end()); };
  BeliefCurve found{.input = described.label(),
                    .x = list(at.col(input)),
                    .middle = list(shown.middle),
                    .low = list(shown.low),
                    .high = list(shown.high)};
  found.names = described.is_named() ? described.values : std::vector<std::string>();
  found.logarithmic = described.log;
  return found;
}

BeliefMap map_of(const Study& study, const AveragedBelief& belief) {
  const Vector x = values_along(study.pool(), 0, map_columns), y = values_along(study.pool(), 1, map_rows);
  Points at(map_columns * map_rows, 2);
  for (Index row = 0; row < map_rows; ++row)
    for (Index column = 0; column < map_columns; ++column)
      at.row(row * map_columns + column) << x(column), y(row);
  const ShownBelief shown = belief.at(at);
  const auto in_rows = [](const Vector& values) -> Matrix {
    return Eigen::Map<const Points>(values.data(), map_rows, map_columns);
  };
  BeliefMap map{.x = {x.begin(), x.end()},
                .y = {y.begin(), y.end()},
                .middle = in_rows(shown.middle),
                .sd = in_rows(shown.sd),
                .x_logarithmic = study.pool().columns()[0].log,
                .y_logarithmic = study.pool().columns()[1].log};
  if (const std::optional<double> threshold = sought_threshold(study)) {
    Vector above(shown.middle.size());
    for (Index i = 0; i < above.size(); ++i)
      above(i) = probability_above(study.file().target->to_model(shown.middle(i)), shown.sd(i) * shown.sd(i),
                                   *threshold, 0.0);
    map.above = in_rows(above);
  }
  return map;
}

BeliefViews slices(const Study& study, const AveragedBelief& belief,
                   const std::vector<Importance>& importance) {
  const std::vector<std::string>& inputs = study.pool().inputs();
  BeliefViews found;
  const auto count = static_cast<Index>(inputs.size());
  const Vector middle = usual_values(study.pool());
  found.others_at.assign(middle.begin(), middle.end());
  std::vector<Index> order;  // most important first, if known
  for (const Importance& one : importance)
    order.push_back(std::find(inputs.begin(), inputs.end(), one.input) - inputs.begin());
  for (Index k = 0; order.empty() && k < count; ++k) order.push_back(k);
  for (std::size_t i = 0; i < std::min(order.size(), static_cast<std::size_t>(most_slices)); ++i) {
    const Vector along = values_along(study.pool(), order[i], slice_points);
    Points at = middle.transpose().replicate(along.size(), 1);
    at.col(order[i]) = along;
    found.curves.push_back(curve(study, belief, at, order[i]));
  }
  return found;
}

// One curve over the number for every value of the category.
BeliefViews curves_by_category(const Study& study, const AveragedBelief& belief, Index category) {
  const Input& input = study.pool().columns()[static_cast<std::size_t>(category)];
  const Vector along = values_along(study.pool(), 1 - category, slice_points);
  BeliefViews found;
  for (std::size_t k = 0; k < std::min(input.values.size(), static_cast<std::size_t>(most_slices)); ++k) {
    Points at(along.size(), 2);
    at.col(1 - category) = along;
    at.col(category).setConstant(static_cast<double>(k));
    found.curves.push_back(curve(study, belief, at, 1 - category));
    found.curves.back().title = input.name + " = " + input.values[k];
    found.curves.back().category = static_cast<double>(k);
  }
  return found;
}

BeliefViews views_by_inputs(const Study& study, const AveragedBelief& belief,
                            const std::vector<Importance>& importance) {
  BeliefViews found;
  const std::vector<Input>& inputs = study.pool().columns();
  if (inputs.size() == 1) {
    found.curves.push_back(curve(study, belief, values_along(study.pool(), 0, curve_points), 0));
    return found;
  }
  if (inputs.size() > 2 || (inputs[0].is_named() && inputs[1].is_named()))
    return slices(study, belief, importance);
  for (Index k = 0; k < 2; ++k)
    if (inputs[static_cast<std::size_t>(k)].is_named()) return curves_by_category(study, belief, k);
  found.map = map_of(study, belief);
  return found;
}

}  // namespace

BeliefViews belief_views(const Study& study, const AveragedBelief& belief,
                         const std::vector<Importance>& importance) {
  if (study.pool().size() == 0) return {};
  BeliefViews found = views_by_inputs(study, belief, importance);
  found.note = belief.note();
  return found;
}

}  // namespace acuity
