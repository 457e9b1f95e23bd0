#pragma once

#include <optional>
#include <string>
#include <vector>

#include "views/campaign_model.hpp"

namespace acuity {

/// Which precision is worth most per cost at which doubt, by the rule that selects, and how sure the pool is
/// today. One of `intervals`, `course` and `map` is there.
struct BreakEven {
  /// Real targets where few levels win: from no doubt to the prior's, without gaps.
  struct Interval {
    double from_sd = 0.0, to_sd = 0.0;
    std::string level;
  };
  /// Real targets where many win, or any precision may be bought: the best one along the doubt. A jump has
  /// two entries at about the same place.
  struct Course {
    std::vector<double> sd, best;
  };
  /// Classes: the best one at every mean and doubt; rows go with the second.
  struct Map {
    std::vector<double> mean, sd;
    Matrix best;                       ///< where there are `winners`, which of them
    std::vector<std::string> winners;  ///< where few win, the vaguest first
  };
  std::vector<Interval> intervals;
  std::optional<Course> course;
  std::optional<Map> map;
  std::string scale;                       ///< what `best` is a number of
  double low = 0.0, high = 1.0;            ///< of that scale, what is on offer
  double base_noise = 0.0;                 ///< sigma^2(x) it was made for: the median over the pool
  bool noise_varies = false;               ///< over the pool
  std::string today;                       ///< real targets: what wins at the pool's median doubt
  std::vector<double> pool_mean, pool_sd;  ///< of f, at points from all over the pool
};

/// What is bought at beliefs that need not be those of any point, by the selection itself; `base_noise` is
/// that of all of them.
std::vector<Level> winners_at(const StudyModel& model, double base_noise, const Vector& mean,
                              const Vector& sd);

/// Nothing where levels do not compete.
std::optional<BreakEven> break_even_view(const Study& study, const CampaignModel& model);

}  // namespace acuity
