#pragma once

#include <optional>
#include <vector>

#include "acuity/model/lagging_pool.hpp"
#include "acuity/selection/candidates.hpp"

namespace acuity {

/// Exact lazy selection by tiles (math.md 6 and 6.2). What a tile was worth when it was last looked at bounds
/// what it is worth now, so tiles are refreshed in the order of their bounds until the next bound is below
/// the best fresh value.
class TileSearch {
 public:
  TileSearch(const Offer& offer, const Acquisition& acquisition, int threads);

  /// Whether this acquisition can be searched so at all.
  bool possible() const { return possible_; }

  /// The open pool rows that may be the choice: the best ones and all that might tie with them, ascending.
  /// Their tiles are up to date. Nothing where the worth of the best is 0 or infinite: look at every point.
  std::optional<std::vector<Index>> leaders(LaggingPool& pool, const Candidates& candidates);

 private:
  struct Entry {  // of the heap
    double bound;
    Index tile;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.bound < b.bound || (a.bound == b.bound && a.tile > b.tile);
    }
  };
  struct Lines;

  void forget_if_outdated(const LaggingPool& pool, const Candidates& candidates);
  void set_levels(const std::vector<Index>& levels);
  std::vector<Entry> refresh_in_order(LaggingPool& pool, const Candidates& candidates);
  double value_of(Index first, Index count, const double* variance, const Candidates& candidates,
                  Lines& lines) const;
  double value_at_best_precision(Index first, Index count, const double* variance,
                                 const Candidates& candidates) const;

  const Offer& offer_;
  const Acquisition& acquisition_;
  int threads_;
  bool possible_ = false;
  bool constant_noise_ = false;

  std::vector<Index> levels_;
  std::vector<double> added_, inverse_cost_;  // of these, padded

  std::vector<Entry> heap_;
  std::vector<char> open_;  // when the bounds were made
  double remaining_ = 0.0;
  Index epoch_ = -1, pool_size_ = 0;
};

}  // namespace acuity
