#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acuity/campaign/state.hpp"
#include "acuity/study/study_learner.hpp"

namespace acuity {

/// Whether the answer is one of campaign.initial, which was not bought in this campaign: its cost is what a
/// file says, often 0.
bool is_known_before(const Asked& asked);

/// The declared price of a level counts as this many answers (docs/math.md 5.6).
inline constexpr double declared_cost_weight = 3.0;

/// What an answer of a level is expected to cost, and the 90 % quantile, given its declared price and the
/// costs of answers.
LevelCost learned_cost(double price, const std::vector<double>& costs);

/// The costs that answers of a level reported, the declared price, and what choices use.
struct ReportedCost {
  std::string level;
  double declared = 0.0, reported = 0.0;  ///< the price, and the mean over the answers that count
  std::int64_t count = 0;                 ///< of these answers; every replicate counts
  LevelCost used;

  /// Whether reported and declared differ by more than 5 %.
  bool differs() const;
};

/// One per level of a price list at which an answer reported another cost than the declared price, in the
/// order of the offer. Then all valid answers of the level count, except those known before the campaign and
/// those that were charged the expected cost because they reported none: they tell nothing about it.
std::vector<ReportedCost> reported_costs(const Study& study, const State& state);

/// What StudyModel::costs is in this state; empty if the costs are as declared.
std::vector<LevelCost> level_costs(const Study& study, const State& state);

/// "level coarse: answers cost 1.3 on average, declared 1; choices use 1.25": one sentence per level.
std::vector<std::string> reported_cost_sentences(const Study& study, const std::vector<ReportedCost>& found);
/// Only those that differ from the declared price.
std::vector<std::string> reported_cost_warnings(const Study& study, const std::vector<ReportedCost>& found);

}  // namespace acuity
