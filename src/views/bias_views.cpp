#include "views/bias_views.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "acuity/model/learn.hpp"
#include "campaign/state_queries.hpp"
#include "views/input_grid.hpp"

namespace acuity {

namespace {

constexpr Index most_inputs_shown = 6, points_of_a_slice = 61;

// The mean of the answers of every level, by pool row.
using MeanAnswers = std::map<std::string, std::map<Index, double>>;

MeanAnswers mean_answers(const Target& target, const State& state) {
  MeanAnswers sums;
  std::map<std::string, std::map<Index, double>> counts;
  for (const std::int64_t id : state.answered()) {
    const SuggestionRecord& record = *state.find(id);
    if (record.row() < 0) continue;
    for (const double value : record.values) {
      sums[record.level()][record.row()] += target.to_model(value);
      counts[record.level()][record.row()] += 1.0;
    }
  }
  for (auto& [level, rows] : sums)
    for (auto& [row, sum] : rows) sum /= counts[level][row];
  return sums;
}

std::vector<PairedDifference> pairs_of(const Pool& pool, const std::map<Index, double>& level,
                                       const std::map<Index, double>& reference) {
  std::vector<PairedDifference> pairs;
  for (const auto& [row, value] : level) {
    const auto there = reference.find(row);
    if (there == reference.end()) continue;
    const double* inputs = pool.point(row);
    pairs.push_back({.inputs = std::vector<double>(inputs, inputs + pool.inputs().size()),
                     .difference = value - there->second});
  }
  return pairs;
}

DifferenceCurve difference_along(const Study& study, const CampaignModel& model, Index bias, Index input) {
  const Vector along = values_along(study.pool(), input, points_of_a_slice);
  Points at = usual_values(study.pool()).transpose().replicate(along.size(), 1);
  at.col(input) = along;
  const Marginals error = model.posterior().predict_part(at, static_cast<int>(bias), AnswerPart::error);
  DifferenceCurve found{.input = study.pool().inputs()[static_cast<std::size_t>(input)],
                        .x = {},
                        .middle = {},
                        .low = {},
                        .high = {}};
  for (Index i = 0; i < at.rows(); ++i) {
    const double reach = 2.0 * std::sqrt(std::max(0.0, error.variance(i)));
    found.x.push_back(at(i, input));
    found.middle.push_back(error.mean(i));
    found.low.push_back(error.mean(i) - reach);
    found.high.push_back(error.mean(i) + reach);
  }
  return found;
}

}  // namespace

std::vector<BiasView> bias_views(const Study& study, const State& state, const CampaignModel& model) {
  std::vector<BiasView> views;
  if (!study.file().has_bias()) return views;
  MeanAnswers answers = mean_answers(*study.file().target, state);
  for (EstimatedBias& bias : level_biases(study, model.study_model(), model.posterior())) {
    BiasView view;
    view.pairs = pairs_of(study.pool(), answers[bias.level], answers[bias.reference]);
    const Index shown = std::min<Index>(most_inputs_shown, study.pool().points().cols());
    for (Index k = 0; k < shown; ++k) view.curves.push_back(difference_along(study, model, bias.number, k));
    view.estimate = std::move(bias);
    views.push_back(std::move(view));
  }
  return views;
}

std::optional<PredictedErrors> predicted_errors(const Study& study, const CampaignModel& model) {
  const bool is_named = study.file().goal && !study.file().goal->whole_pool();
  if (!study.goal() || !is_named || study.file().binary()) return std::nullopt;
  const Vector goal = model.posterior().predict(study.goal()->points).variance.cwiseMax(0.0),
               pool = model.posterior().predict(spread_sample(study.pool().points())).variance.cwiseMax(0.0);
  return PredictedErrors{.goal = std::sqrt(study.goal()->weights.dot(goal)), .pool = std::sqrt(pool.mean())};
}

}  // namespace acuity
