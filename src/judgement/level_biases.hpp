#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "acuity/study/study_learner.hpp"
#include "text/json.hpp"

namespace acuity {

/// What the model has learned about the bias of a level (docs/math.md 12.1).
struct EstimatedBias {
  std::string level, reference;
  Index number = 0;     ///< of the bias in the prior, from 1 on
  Index answers = 0;    ///< at this level
  double offset = 0.0;  ///< what the level reads above the reference, the same everywhere
  double offset_sd = 0.0;
  double smooth_sd = 0.0;  ///< size of the difference that depends smoothly on the inputs
  double white_sd = 0.0;   ///< size of the error that is new at every point
  /// What the level reads above the reference, offset and smooth difference together: the mean over the pool,
  /// with the standard deviation at a point, and the least and the largest.
  double difference = 0.0, difference_sd = 0.0, least = 0.0, largest = 0.0;
  double error_sd = 0.0;   ///< of an answer besides what is the same everywhere, over the pool
  double signal_sd = 0.0;  ///< of f over the pool, before anything is known; 0 if its size is not known yet
  bool is_factor = false;  ///< of the logarithm: all of these are relative, the offset a factor e^offset
  std::string in_scale = {};  ///< " in asin sqrt f": on a scale that is not the answers'; otherwise empty
  /// No answer is at a level without bias, so that answers cannot tell it from f.
  bool is_assumed = false;
  /// Of f as any function of the inputs and of what the level answers (docs/math.md 12.7), beside f and an
  /// error.
  double chain_weight = 0.0;
  std::string next =
      {};  ///< the level of which its answers are one more input then: the reference or another

  /// Then the differences above are no part of the model that leads.
  bool is_chained() const { return chain_weight > 0.5; }
  /// An answer tells next to nothing about f: its error is as large as f.
  bool is_useless() const { return !is_chained() && signal_sd > 0.0 && error_sd >= signal_sd; }
};

/// Of every level with bias, in the order of the offer. Empty for classes.
std::vector<EstimatedBias> level_biases(const Study& study, const StudyModel& model,
                                        const TargetPosterior& posterior);
std::vector<EstimatedBias> level_biases(const Study& study, const StudyModel& model);

/// "coarse reads 0.0027 ± 0.0004 above fine, 0.0011 to 0.0043 over the pool: its bias is part of the model
/// (smooth difference 0.0012, white part 0.0003)"
std::string to_text(const EstimatedBias& bias);
/// That a level is useless; empty if it is not.
std::string useless_text(const EstimatedBias& bias);
/// That there are answers, but none at a level without bias; empty if that is not so.
std::string assumption_text(const Study& study, const StudyModel& model);
/// The level whose answers are nearest to f: of least noise, or the finest mesh if f is meant at the limit.
Index finest_by_error(const Study& study);
/// How much of the uncertainty at these points is extrapolation beyond the finest mesh, for people; empty
/// unless f is meant at the limit of the mesh.
std::string extrapolation_text(const Study& study, const StudyModel& model, const Points& at);
/// That the learned nugget is far above the noise that a deterministic reference level declares; empty if it
/// is not, or if the study gives the nugget.
std::string undeclared_noise_text(const Study& study, const StudyModel& model);

/// A list with the level, its relation to f ("reference", "noise", "difference" or "any") and the weight of
/// that relation in predictions. Of a level whose relation is learned: the one that leads.
Json relations_json(const Study& study, const std::optional<Learned>& learned);
/// The weights of both relations; empty if only one is tried.
std::string relations_text(const std::optional<Learned>& learned);

/// f as the model has it where the level before it answers so, with the inputs at the middle of the pool; and
/// the answers of both at the same points, as (level, reference).
struct RelationCurve {
  std::vector<double> answers, middle, low, high;
  std::vector<std::pair<double, double>> pairs;
};
/// Of a level whose answers are one more input of f; empty otherwise.
std::optional<RelationCurve> relation_curve(const Study& study, const StudyModel& model, int bias);

/// A list with level, offset, offset_sd, smooth_sd, white_sd, difference and difference_sd.
Json level_bias_json(const std::vector<EstimatedBias>& biases);

}  // namespace acuity
