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
///
/// Invariant: the bound of a tile is at least the value of each of its open points at every level in play,
/// levels that were dropped as too weak included. A bound stays valid while variances fall, points are closed
/// and levels become unaffordable. Every search first looks for other changes: another pool or a risen
/// variance (LaggingPool::epoch), a level that came into play, a point that was opened, and more money if
/// precisions are continuous. It forgets the bounds that such a change makes invalid.
///
/// Owner and thread: Selector::State owns one for its part of the pool. Offer and acquisition must outlive it
/// and must not change. One thread at a time may call leaders(). On large pools leaders() starts threads,
/// each of which takes the tiles of the highest bounds that are left; a mutex guards the next tile and the
/// best value, and no tile is refreshed by two threads. Their timing decides which further tiles are
/// refreshed, but not which rows are returned.
///
/// What a caller may assume: the choice and all points that tie with it are among the rows of leaders().
/// Other rows may be among them, so the caller compares the rows exactly. After an exception, such as an
/// interruption, the bounds hold and the next search may use them.
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
  void take_bounds(const LaggingPool& pool, const Candidates& candidates);
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

  bool start_again_ = false;  // at the last choice: nothing was known about any tile
  double remaining_ = 0.0;    // money at the last choice, slack included
  double best_ = 0.0;         // value of the last choice; 0: unknown

  VarianceError error_;              // of the pool's variances
  bool use_plain_variances_ = true;  // error_ is negligible: rank by the variances themselves and
  double value_slack_ = 0.0;  // widen every value by this; otherwise by shifted variances, without slack
};

}  // namespace acuity
