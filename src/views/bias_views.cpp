#include "views/bias_views.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "acuity/model/learn.hpp"
#include "views/input_grid.hpp"

namespace acuity {

namespace {

constexpr Index most_inputs_shown = 6, points_of_a_slice = 61;

// At the points that both levels have answered.
std::vector<PairedDifference> pairs_of(const std::vector<LevelOffset>& offsets, const EstimatedBias& bias) {
  for (const LevelOffset& offset : offsets) {
    if (offset.level == bias.level && offset.other == bias.reference) return offset.pairs;
    if (offset.level != bias.reference || offset.other != bias.level) continue;
    std::vector<PairedDifference> pairs = offset.pairs;
    for (PairedDifference& pair : pairs) pair.difference = -pair.difference;
    return pairs;
  }
  return {};
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

std::vector<BiasView> bias_views(const Study& study, const std::vector<LevelOffset>& offsets,
                                 const CampaignModel& model) {
  std::vector<BiasView> views;
  if (!study.file().has_bias()) return views;
  for (EstimatedBias& bias : level_biases(study, model.study_model(), model.posterior())) {
    BiasView view;
    view.pairs = pairs_of(offsets, bias);
    const Index shown = std::min<Index>(most_inputs_shown, study.pool().points().cols());
    for (Index k = 0; k < shown; ++k) view.curves.push_back(difference_along(study, model, bias.number, k));
    view.relation = relation_curve(study, model.study_model(), static_cast<int>(bias.number));
    view.estimate = std::move(bias);
    views.push_back(std::move(view));
  }
  return views;
}

std::optional<PredictedErrors> predicted_errors(const Study& study, const CampaignModel& model) {
  const bool is_named = study.file().goal && !study.file().goal->whole_pool();
  if (!study.goal() || !is_named || !study.file().target->has_noise()) return std::nullopt;
  const Vector goal = model.posterior().predict(study.goal()->points).variance.cwiseMax(0.0),
               pool = model.posterior().predict(spread_sample(study.pool().points())).variance.cwiseMax(0.0);
  return PredictedErrors{.goal = std::sqrt(study.goal()->weights.dot(goal)), .pool = std::sqrt(pool.mean())};
}

}  // namespace acuity
