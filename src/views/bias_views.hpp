#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/state.hpp"
#include "campaign/campaign_model.hpp"
#include "judgement/level_biases.hpp"
#include "judgement/level_offsets.hpp"

namespace acuity {

/// The difference of a level from the reference along one input, the others at the median of the pool: the
/// mean, and two standard deviations.
struct DifferenceCurve {
  std::string input;
  std::vector<double> x, middle, low, high;
};

/// The bias of a level, as the model has it and as answers at the same points show it.
struct BiasView {
  EstimatedBias estimate;
  std::vector<PairedDifference> pairs;                   ///< with the reference level
  std::vector<DifferenceCurve> curves;                   ///< of the first inputs, in their order
  std::optional<RelationCurve> relation = std::nullopt;  ///< if f is a function of what the level answers
};

/// Of every level with bias; empty if there is none. `offsets`: those of level_offsets().
std::vector<BiasView> bias_views(const Study& study, const std::vector<LevelOffset>& offsets,
                                 const CampaignModel& model);

/// The root of the mean variance of f: over the goal, and over a sample of the pool.
struct PredictedErrors {
  double goal = 0.0, pool = 0.0;
};
/// Nothing if the study names no goal.
std::optional<PredictedErrors> predicted_errors(const Study& study, const CampaignModel& model);

}  // namespace acuity
