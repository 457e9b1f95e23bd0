#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "acquisition/information_shortcuts.hpp"
#include "acuity/acquisition/acquisition.hpp"

namespace acuity {

/// Levels as the numeric kernels take them, padded.
struct PaddedLevels {
  PaddedLevels() = default;
  explicit PaddedLevels(const std::vector<std::pair<double, double>>& noise_and_cost);

  std::ptrdiff_t count = 0;  ///< without the padding
  std::vector<double> added, inverse_cost;
};

/// Lowest and highest variance of the base noise in the pool.
struct NoiseRange {
  double lowest = 0.0, highest = 0.0;
};

/// Which of the levels in play can win at a point that matters (math.md 5.5): the others are not evaluated.
class LevelFilter {
 public:
  /// Everything but `base_noise` must outlive it. `lines`: of the acquisition's information.
  LevelFilter(const Offer& offer, const Acquisition& acquisition, const InformationLines& lines,
              NoiseRange base_noise);

  /// Starts again, with these levels of the offer.
  void set_levels_in_play(const std::vector<Index>& levels);
  const std::vector<Index>& levels_in_play() const { return levels_in_play_; }
  const PaddedLevels& padded_levels_in_play() const { return padded_; }

  /// Drops the levels that cannot win at a point that is worth half of `last_best` or more, if no variance is
  /// above `highest_variance`. `last_best`: the best value of the last choice, 0 if unknown.
  void drop_levels(double highest_variance, double last_best);
  /// Whether what was dropped for the last choice may still be left out.
  bool is_current(double last_best) const;
  /// A level that was dropped may win after all.
  void keep_all_levels(double last_best);

  const PaddedLevels& competitive_levels() const { return *competitive_levels_; }
  /// Upper bound of any value that a dropped level could reach.
  double bound_of_dropped_levels() const { return bound_of_dropped_levels_; }

 private:
  /// The inverse of a line's slope and its intercept over its slope, over all points that matter.
  struct Box {
    double signal_low, signal_high, floor_low, floor_high;
  };
  double best_value_at(double variance) const;
  double lowest_variance_that_matters(double highest, double last_best) const;
  std::optional<Box> box_of(double lowest_variance, double highest_variance) const;
  double value(std::size_t level, double signal, double floor) const;
  std::size_t winner(double signal, double floor) const;

  const Offer& offer_;
  const Acquisition& acquisition_;
  const InformationLines& lines_;
  NoiseRange base_noise_;
  std::vector<Index> levels_in_play_;
  PaddedLevels padded_;                             // these
  std::optional<PaddedLevels> competitive_levels_;  // nothing: to be found
  double bound_of_dropped_levels_ = 0.0;
  double best_when_dropped_ = 0.0;  // the last best value when levels were last dropped
};

}  // namespace acuity
