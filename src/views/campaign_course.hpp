#pragma once

#include <map>

#include "campaign/campaign_model.hpp"
#include "views/campaign_data.hpp"
#include "views/level_groups.hpp"

namespace acuity {

enum class CourseErrors { measured, none };

/// Points of the course of one campaign that were measured before: a log only grows, so that what the model
/// knew after some number of events stays the same unless the study is changed. Not for several threads.
class MeasuredCourse {
 public:
  /// The points of this study, which has been changed so often; those of another one are forgotten.
  std::map<std::int64_t, CoursePoint>& after_changes(std::size_t changes) {
    if (changes != changes_) points_.clear();
    changes_ = changes;
    return points_;
  }

 private:
  std::size_t changes_ = 0;
  std::map<std::int64_t, CoursePoint> points_;  // by the number of events
};

/// What is there already and need not be computed again. None of it changes the result.
struct KnownForCourse {
  const CampaignModel* model = nullptr;  ///< of the campaign as it is
  MeasuredCourse* measured = nullptr;    ///< with the same `test`; gets what is measured now
};

/// Replays the log once and collects the error of the model at about twenty numbers of answers, spending over
/// time, fits, and spending by the levels of `groups`. Without the errors no model is computed.
CampaignCourse course_of(const Campaign& campaign, const std::optional<HeldOut>& test,
                         const LevelGroups& groups, CourseErrors errors = CourseErrors::measured,
                         const KnownForCourse& known = {});

/// With how many answers between its points the course of so many answers is measured, the last point besides
/// them; 0: at twenty points, evenly spaced.
std::int64_t course_step(std::int64_t answers);

}  // namespace acuity
