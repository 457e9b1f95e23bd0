#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "acquisition/information_shortcuts.hpp"
#include "acuity/selection/candidates.hpp"
#include "model/lagging_pool.hpp"

namespace acuity {

/// Finds the points that may be best by I - lambda * rho * C (math.md eq. (17.2)) without refreshing the
/// whole pool. rho falls from choice to choice, and values rise with it, so no bound of a value lasts. A
/// bound of a variance does: for every tile the highest information at each level is stored as of its last
/// refresh, and the bounds of ratios and values are computed from that for every choice (math.md 17.3).
class PricedTileSearch {
 public:
  /// Both must outlive it. `threads`: 0 means all processors.
  PricedTileSearch(const Offer& offer, const Acquisition& acquisition, int threads);

  /// Whether information is known to fall with the variance, at levels rather than all precisions between.
  bool possible() const { return lines_ != nullptr; }

  /// The rows that may have the best information per cost here, rho, ascending; their tiles are up to date.
  /// Every open point must be open at every level. Nothing if the best is 0 or infinite, or no level is
  /// affordable: look at every point.
  std::optional<std::vector<Index>> best_ratios(LaggingPool& pool, const Candidates& candidates);
  /// The rows that may have the highest value at this price, lambda * rho, or tie with it, ascending. After
  /// best_ratios(), if that returned rows.
  std::vector<Index> leaders(LaggingPool& pool, double shadow_price);

 private:
  struct Level {
    Index index;
    double noise, cost;
  };
  struct Tile {
    Index choice = -1;                // the last one for which it was refreshed
    std::vector<double> information;  // at each level: that no open point exceeds
    std::vector<double> reached;      // at each level: that some open point certainly reaches
  };
  void start_if_changed(const LaggingPool& pool, const Candidates& candidates);
  void refresh(LaggingPool& pool, Index tile);
  template <typename Shifted>
  std::vector<double> highest_information(const LaggingPool& pool, Index tile, const Shifted& shifted) const;
  // value(k, information) is that of level k if its information is this.
  template <typename Value>
  double best_reached(LaggingPool& pool, const Value& value, double slack);
  template <typename Value>
  std::vector<Index> rows_above(const LaggingPool& pool, const Value& value, double least) const;

  const Offer& offer_;
  const Acquisition& acquisition_;
  int threads_;
  std::unique_ptr<const InformationLines> lines_;
  std::vector<Level> levels_;
  std::vector<Tile> tiles_;
  std::vector<char> open_;
  Index epoch_ = -1, pool_size_ = 0, width_ = 0, choice_ = 0;
};

}  // namespace acuity
