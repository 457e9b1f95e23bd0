#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/model/marginals.hpp"
#include "acuity/study/study_learner.hpp"

namespace acuity {

/// What a suggestion is to do for a goal.
struct GoalExplanation {
  /// A goal point that the answer tells about.
  struct Place {
    std::vector<double> inputs;
    double share = 0.0;                      ///< of the fall of the mean variance over the goal
    double sd_before = 0.0, sd_after = 0.0;  ///< of f there
  };
  std::string where;          ///< "the pool" or "the goal"
  bool by_variance = true;    ///< the information is the fall of the variance
  Index points = 0;           ///< of the goal
  double variance = 0.0;      ///< mean over the goal before the answer
  double fall = 0.0;          ///< by which the answer lowers it
  std::vector<Place> places;  ///< up to three, those with the largest share
};

/// `there` are the marginals of the point alone, `channel` that of the level chosen. Nothing without a goal,
/// or for classes.
std::optional<GoalExplanation> explain_goal(const Study& study, const StudyModel& model,
                                            const Marginals& there, const Channel& channel);

/// The error of the level at the point: the offset and the smooth difference.
struct BiasThere {
  double mean = 0.0, sd = 0.0;
};
/// Nothing if the level has no bias.
std::optional<BiasThere> bias_there(const Marginals& there, const Channel& channel);

}  // namespace acuity
