#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acquisition/findings.hpp"
#include "acuity/study/study_learner.hpp"

namespace acuity {

/// A goal point that may be the best.
struct SoughtPoint {
  std::vector<double> inputs;
  std::optional<Index> row;  ///< of the pool; absent: it is none of the pool
  double mean = 0.0, sd = 0.0;
  double probability = 0.0;  ///< to be the best
};

/// What is known of what the goal of a study seeks, by one set of hyperparameters and on the scale of the
/// model.
struct SoughtKnowledge {
  Finding finding;
  ContourKnowledge contour;       ///< of a contour
  std::vector<SoughtPoint> best;  ///< of a best point: the best mean first
  double expected_regret = 0.0;   ///< E max f - max mean over the goal (math.md eq. (20.7))
};

/// Nothing if the study seeks nothing. At most `most` points are returned; of more than 500 goal points those
/// of the largest mean + 3 sd are drawn jointly. The posterior is that of the model.
std::optional<SoughtKnowledge> sought_knowledge(const Study& study, const StudyModel& model,
                                                const TargetPosterior& posterior, Index most = 1);

/// The threshold of a contour on the scale of the model, if the study seeks one.
std::optional<double> sought_threshold(const Study& study);
/// What a goal asks for: "where f is above 3.5", "where f is highest". Empty if it asks for a good model.
std::string sought_in_words(const StudyFile& file);
/// acquisition.information as a study file has it: "model", "goal".
std::string_view information_name(const StudyFile& file);

/// The error of a belief about points whose truth is known, on the scale of the model: Target::error_of; the
/// share of the weight on the wrong side of a contour; or by how much the truth at the best mean is behind
/// the best truth.
double error_for_study(const StudyFile& file, const Vector& mean, const Vector& truth, const Vector& weights);
/// How it is called: "root mean square error", "share on the wrong side", "regret".
std::string error_measure_of(const StudyFile& file);

/// Up to which variance f counts as known (math.md 19.2).
double known_variance(const Study& study, const StudyModel& model);

}  // namespace acuity
