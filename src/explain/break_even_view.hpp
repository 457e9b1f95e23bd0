#pragma once

#include <optional>
#include <string>
#include <vector>

#include "campaign/campaign_model.hpp"

namespace acuity {

/// From one standard deviation of f to another, `level` has the most information per cost.
struct LevelInterval {
  double from_sd = 0.0, to_sd = 0.0;
  Level level;
};

/// Which precision has the most information per cost at which standard deviation of f, by the rule of the
/// selection, and the current standard deviations of the pool. One of `intervals`, `course` and `map` is
/// present.
struct BreakEven {
  /// Real targets with few winners: from 0 to the prior's standard deviation, without gaps.
  struct Interval {
    double from_sd = 0.0, to_sd = 0.0;
    std::string level;
  };
  /// Real targets with many winners, or any precision on offer: the best one by standard deviation. A jump
  /// has two entries at nearly the same standard deviation.
  struct Course {
    std::vector<double> sd, best;
  };
  /// Classes: the best one at every mean and standard deviation of f; one row per standard deviation.
  struct Map {
    std::vector<double> mean, sd;
    Matrix best;                       ///< an index into `winners`, if there are any
    std::vector<std::string> winners;  ///< if few win, the least precise first
  };
  std::vector<Interval> intervals;
  std::optional<Course> course;
  std::optional<Map> map;
  std::string scale;                       ///< the quantity that `best` is given in
  double low = 0.0, high = 1.0;            ///< range on offer, in that scale
  double base_noise = 0.0;                 ///< sigma^2(x) that was assumed: the median over the pool
  bool noise_varies = false;               ///< over the pool
  std::string today;                       ///< real targets: the best level at the pool's median sd
  std::vector<double> pool_mean, pool_sd;  ///< of f, at a sample of the pool
};

/// Compares by name or by alpha.
bool is_same_level(const Level& a, const Level& b);

/// The level that the selection would choose for each of these means and standard deviations of f, all with
/// this `base_noise`.
std::vector<Level> winners_at(const StudyModel& model, double base_noise, const Vector& mean,
                              const Vector& sd);

/// Whether the study or its answers say how much answers differ. Otherwise the amplitude of the model is a
/// placeholder that has nothing to do with the unit of the answers.
bool is_size_known(const Study& study, const StudyModel& model);

/// The standard deviation of f before anything is known; ten times the noise of the noisiest level if the
/// size of the answers is not known.
double prior_sd_of(const Study& study, const StudyModel& model);

/// Real targets: the standard deviations, in rising order, at which levels are compared. The last one is
/// `prior_sd`; the first is so small that the order of the levels no longer changes below it.
std::vector<double> compared_sds(const StudyModel& model, double base_noise, double prior_sd);

/// Real targets: which level is bought at which standard deviation of f, from 0 to `prior_sd` without gaps.
/// Boundaries are found by bisection with winners_at(), so they are those of the selection for every
/// information. With more than a few hundred levels, intervals narrower than the steps of compared_sds() may
/// be missing.
std::vector<LevelInterval> level_intervals(const StudyModel& model, double base_noise, double prior_sd);

/// Nothing if levels do not compete, or if the best one does not follow from the standard deviation of f.
std::optional<BreakEven> break_even_view(const Study& study, const CampaignModel& model);

}  // namespace acuity
