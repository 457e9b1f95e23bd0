#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/study/study.hpp"

namespace acuity {

/// Which level a study will buy at which doubt, and what price would change that; before money is spent
/// (docs/math.md 5.5).
struct BreakEvenReport {
  /// Real targets: from one standard deviation of f to another, sharpest level first.
  struct Interval {
    double from_sd = 0.0, to_sd = 0.0;
    Level level;
  };
  /// Binary targets, and all where any precision may be bought: the winner at this belief about f.
  struct Winner {
    double mean = 0.0, sd = 0.0;
    Level level;
  };
  struct LevelPrice {
    Level level;
    bool wins = false;        ///< somewhere within the prior's spread
    double wins_below = 0.0;  ///< and would, somewhere, at any price below this
  };
  std::string unit;  ///< of information
  bool is_binary = false;
  bool levels_compete = true;  ///< false: bald and random ask for the highest precision only
  bool continuous = false;  ///< any precision of a ladder may be bought, so that none has a price of its own
  double prior_sd = 0.0;    ///< of f before anything is known
  double base_noise = 0.0;  ///< sigma^2(x) it was made for: the median over the pool
  double base_noise_low = 0.0, base_noise_high = 0.0;
  std::vector<Interval> intervals;  ///< within the prior's spread
  std::vector<Winner> winners;      ///< means and spreads row by row
  std::vector<LevelPrice> prices;   ///< of price lists, and the two ends of ladders in steps
  std::optional<Level> only;        ///< it wins everywhere: precision selection does nothing here
};

/// Of a study with these hyperparameters and levels.
BreakEvenReport break_even_report(const Study& study, const StudyModel& model);

std::string to_text(const BreakEvenReport& report, const std::string& money_unit);

}  // namespace acuity
