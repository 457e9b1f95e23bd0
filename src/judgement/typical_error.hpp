#pragma once

#include <optional>
#include <string>

#include "campaign/campaign_model.hpp"
#include "judgement/calibration_verdict.hpp"
#include "model/averaged_posterior.hpp"

namespace acuity {

/// The error to expect of predictions over the goal, or over the pool if the study names no goal: the number
/// with which `status`, the report and the page begin.
struct TypicalError {
  double size = 0.0;  ///< root mean square of the standard deviation of f, on the scale of the model;
                      ///< classes: the expected share of wrong classes
  std::optional<double> range =
      std::nullopt;     ///< largest minus smallest prediction at the same points; classes have none
  double factor = 1.0;  ///< by which a verdict says that standard deviations are too small
  bool at_goal = false;

  /// What people should expect.
  double expected() const { return factor * size; }
  /// What sentences add: nothing, or " over the goal".
  std::string where() const { return at_goal ? " over the goal" : ""; }
};

/// The factor of a verdict that names one, otherwise 1.
double error_factor(const CalibrationVerdict& verdict);

/// Of what `predict` says: averaged over hyperparameters. With more answers than `most_averaged` by the most
/// probable ones, as everybody who waits for `status` wants it. Of a large pool a sample is used. Nothing if
/// there are too few answers to learn from. `known`: the averaged posterior, if the caller has it.
std::optional<TypicalError> typical_error(const Campaign& campaign, double factor = 1.0,
                                          const AveragedPosterior* known = nullptr);
/// Answers up to which predictions are averaged for it; classes take longer.
Index most_averaged_for_error(const Study& study);

/// The same by one set of hyperparameters, for points of a course.
std::optional<TypicalError> typical_error(const Study& study, const CampaignModel& model,
                                          double factor = 1.0);

/// "typically off by 0.03 N m, 4 % of its range"; logarithms: "typically off by a factor of 1.12, predictions
/// span a factor of 300"; classes: "about 6.5 % of the predicted classes are wrong".
std::string to_text(const TypicalError& error, const Target& target);

/// As JSON and other programs have it: a factor for logarithms, otherwise the number itself.
double typical_error_value(double size, const Target& target);

}  // namespace acuity
