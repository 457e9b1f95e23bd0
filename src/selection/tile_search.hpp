#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "acquisition/information_shortcuts.hpp"
#include "acuity/selection/candidates.hpp"
#include "model/lagging_pool.hpp"

namespace acuity {

/// Exact lazy selection by tiles (math.md 6 and 6.2). What a tile was worth when it was last looked at bounds
/// what it is worth now, so tiles are refreshed in the order of their bounds until the next bound is below
/// the best fresh value.
class TileSearch {
 public:
  TileSearch(const Offer& offer, const Acquisition& acquisition, int threads);

  /// Whether this acquisition can be searched so at all.
  bool possible() const { return lines_ != nullptr; }

  /// The open pool rows that may be the choice: the best ones and all that might tie with them, ascending.
  /// Their tiles are up to date. Nothing where the worth of the best is 0 or infinite: look at every point.
  std::optional<std::vector<Index>> leaders(LaggingPool& pool, const Candidates& candidates);

 private:
  struct Entry {
    double bound;
    Index tile;
  };
  struct Lines;
  enum class Bound { lower, upper };

  /// Levels as the numeric kernels take them, padded.
  struct Levels {
    std::ptrdiff_t count = 0;
    std::vector<double> added, inverse_cost;
    void set(const std::vector<std::pair<double, double>>& noise_and_cost);
  };

  void forget_if_outdated(const LaggingPool& pool, const Candidates& candidates);
  void set_levels(const std::vector<Index>& levels);
  void leave_out_levels(const LaggingPool& pool);
  double value_at(double variance, double base_noise, const Levels& levels) const;
  std::vector<Index> refresh_in_order(LaggingPool& pool, const Candidates& candidates);
  double value_of(Index first, Index count, const double* variance, Bound bound, const Candidates& candidates,
                  Lines& lines) const;
  double value_at_best_precision(Index first, Index count, const double* variance,
                                 const Candidates& candidates) const;
  double slack_of(double error) const;
  void make_room_for(const VarianceError& error);
  double moved(double variance, Bound bound) const;
  const double* moved(const double* variance, Index count, Bound bound, Lines& lines) const;
  bool continuous() const;

  const Offer& offer_;
  const Acquisition& acquisition_;
  int threads_;
  std::unique_ptr<const InformationLines> lines_;  // null: not possible
  double least_base_ = 0.0, largest_base_ = 0.0;   // sigma^2 over the pool

  std::vector<Index> levels_;  // in play
  Levels all_;                 // these
  Levels some_;                // those of them that can win where it matters
  double overlooked_ = 0.0;    // what a point is worth at most where one of the others could win

  std::vector<Entry> tiles_;  // by bound, highest first
  std::vector<char> open_;    // when the bounds were made
  double remaining_ = 0.0;
  double best_ = 0.0;  // of the last choice
  double best_when_left_out_ = 0.0;
  VarianceError error_;       // of the pool's variances
  bool exact_values_ = true;  // it is so small that values are those of the variances as they are,
  double slack_ = 0.0;        // off by this at most
  Index epoch_ = -1, pool_size_ = 0, width_ = 0;
};

}  // namespace acuity
