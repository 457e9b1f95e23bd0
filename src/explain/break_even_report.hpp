#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/break_even_view.hpp"

namespace acuity {

/// Which level a study will buy at which standard deviation of f, and what price would change that
/// (docs/math.md 5.5). `acuity check` prints it before money is spent; the page of a campaign shows the same
/// intervals by the same functions (break_even_view.hpp).
struct BreakEvenReport {
  /// If the winner depends on the mean, and for continuous ladders: the winner at this belief about f.
  struct Winner {
    double mean = 0.0, sd = 0.0;
    Level level;
  };
  struct LevelPrice {
    Level level;
    bool wins = false;        ///< at some standard deviation up to the prior's
    double wins_below = 0.0;  ///< the price below which it wins; infinite: at any price
    /// Real targets: noise variance times cost (docs/math.md eq. (17.1)). Precision adds up, so with much
    /// money the level of the lowest is the best. NaN for classes.
    double price_of_precision = 0.0;
  };
  std::string unit;              ///< of information
  std::string modelled = "f";    ///< Target::modelled()
  std::string left_out;          ///< why there is no table and there are no prices; empty: there are
  bool depends_on_mean = false;  ///< classes: the winner depends on the mean of f as well as on its sd
  bool levels_compete = true;    ///< false: bald and random ask for the highest precision only
  bool continuous = false;  ///< any precision of a ladder may be bought, so that none has a price of its own
  double prior_sd = 0.0;    ///< of f before anything is known
  bool size_known = true;   ///< false: prior_sd is only the end of the comparison (prior_sd_of)
  double base_noise = 0.0;  ///< sigma^2(x) it was made for: the median over the pool
  double base_noise_low = 0.0, base_noise_high = 0.0;
  std::vector<LevelInterval> intervals;  ///< otherwise: from 0 to prior_sd, most precise level first
  std::vector<Winner> winners;
  std::vector<LevelPrice> prices;  ///< of price lists, and the two ends of long ladders
  std::optional<Level> only;       ///< if present: no other level is the best for one answer
  bool is_planned = false;         ///< a plan of the budget decides, and may buy other levels
};

/// `model` has the study's hyperparameters and levels.
BreakEvenReport break_even_report(const Study& study, const StudyModel& model);

std::string to_text(const BreakEvenReport& report, const std::string& money_unit);

}  // namespace acuity
