#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "acquisition/information_shortcuts.hpp"
#include "acuity/selection/candidates.hpp"
#include "model/lagging_pool.hpp"
#include "selection/level_filter.hpp"
#include "selection/tile_bounds.hpp"

namespace acuity {

/// Exact lazy selection by tiles (math.md 6 and 6.2). What a tile was worth when it was last looked at bounds
/// what it is worth now, so tiles are refreshed in the order of their bounds until the next bound is below
/// the best fresh value.
class TileSearch {
 public:
  TileSearch(const Offer& offer, const Acquisition& acquisition, int threads);

  /// False if the acquisition's information has no lines, or choice is random; then nothing else may be
  /// called.
  bool possible() const { return levels_.has_value(); }

  /// The open pool rows that may be the choice: the best ones and all that might tie with them, ascending.
  /// Their tiles are up to date. Nothing if the worth of the best is 0 or infinite: look at every point.
  std::optional<std::vector<Index>> leaders(LaggingPool& pool, const Candidates& candidates);

 private:
  struct Lines;
  enum class Bound { lower, upper };

  void forget_outdated_bounds(const LaggingPool& pool, const Candidates& candidates);
  void set_variance_error(const VarianceError& error);
  double largest_value_change(double variance_change) const;
  double shifted(double variance, Bound bound) const;
  const double* shifted(const double* variance, Index count, Bound bound, Lines& lines) const;

  std::vector<Index> refresh_in_order(LaggingPool& pool, const Candidates& candidates);
  double refresh_tile(LaggingPool& pool, TileBounds::Entry& entry, double best_so_far,
                      const Candidates& candidates, Lines& lines) const;
  double value_of(Index first, Index count, const double* variance, Bound bound, const Candidates& candidates,
                  Lines& lines) const;
  double value_at_best_precision(Index first, Index count, const double* variance,
                                 const Candidates& candidates) const;
  std::vector<Index> rows_worth(double least, const std::vector<Index>& tiles, const LaggingPool& pool,
                                const Candidates& candidates) const;
  std::vector<Index> rows_worth_at_levels(double least, const std::vector<Index>& tiles,
                                          const LaggingPool& pool) const;
  bool continuous() const;

  const Offer& offer_;
  const Acquisition& acquisition_;
  int threads_;
  std::unique_ptr<const InformationLines> lines_;
  NoiseRange base_noise_;
  std::optional<LevelFilter> levels_;  // nothing: not possible
  TileBounds bounds_;

  double remaining_ = 0.0;  // money at the last choice, slack included
  double best_ = 0.0;       // value of the last choice; 0: unknown

  VarianceError error_;              // of the pool's variances
  bool use_plain_variances_ = true;  // error_ is negligible: rank by the variances themselves and
  double value_slack_ = 0.0;  // widen every value by this; otherwise by shifted variances, without slack
};

}  // namespace acuity
