#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "acuity/campaign/state.hpp"
#include "acuity/selection/candidates.hpp"
#include "acuity/study/study.hpp"

// The audit of a campaign ([audit] of the study): answers at points drawn at random, bought when nothing else
// is, by which intervals are judged. Until all have come the model does not see them (docs/choices.md).

namespace acuity {

/// The level of the audit: the study's, or the most precise one without bias.
Index audit_level(const Study& study);

/// How far the audit has come.
struct AuditProgress {
  std::int64_t wanted = 0;   ///< by the study
  std::int64_t told = 0;     ///< answers that the model has not seen yet
  std::int64_t pending = 0;  ///< asked for
  std::int64_t done = 0;     ///< answers of audits that are complete
  std::int64_t left() const { return std::max<std::int64_t>(0, wanted - told - pending - done); }
};
AuditProgress audit_progress(const Study& study, const State& state);

/// The points that are left to ask for, and what they will cost.
class AuditDraw {
 public:
  /// Points of the goal (its nearest points of the pool) or of the pool, in the order in which they are asked
  /// for; only those that are open at the level. `open`: without what is kept for the audit.
  AuditDraw(const Study& study, const State& state, const Candidates& open);

  Index level() const { return level_; }
  /// The next point; none if the audit has all its points or the pool has no more.
  std::optional<Index> next() const { return rows_.empty() ? std::nullopt : std::optional(rows_.front()); }
  /// The next point was asked for.
  void take() { rows_.erase(rows_.begin()); }
  /// The price of the rest, as reported costs at this level suggest.
  double cost() const;
  double cost(Index row) const;
  /// Takes the points from the choices, if an answer there would close them for the audit, and the money.
  void keep_from(Candidates& candidates) const;

 private:
  const Study& study_;
  Index level_ = 0;
  double price_factor_ = 1.0;
  std::vector<Index> rows_;
};

/// That of a campaign.
AuditDraw audit_draw_of(const Study& study, const State& state);

/// The money that choices must leave for the audit.
double audit_reserve(const Study& study, const State& state);

/// Whether there are answers that the model has not seen, and no further one can be had.
bool audit_is_complete(const Study& study, const State& state);

/// The predictions of the answers that the model has not seen, by the model without them.
Audited audit_predictions(const Study& study, const State& state, int threads);

}  // namespace acuity
