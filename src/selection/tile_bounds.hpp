#pragma once

#include <vector>

#include "model/lagging_pool.hpp"

namespace acuity {

/// For every tile of a pool an upper bound of what its open points are worth, as of the last look at it. A
/// bound holds while variances fall, points are closed and levels become unaffordable.
class TileBounds {
 public:
  struct Entry {
    double bound;
    Index tile;
  };

  /// Whether the bounds were made for this pool, and no variance may have risen since.
  bool fit(const LaggingPool& pool) const;
  /// Nothing is known about any tile of this pool. `open`: by pool row; empty if all are open.
  void start(const LaggingPool& pool, const std::vector<char>& open);
  /// Tiles with points that were opened since the last call lose their bounds.
  void set_open(const std::vector<char>& open);
  /// Every tile loses its bound.
  void forget();

  bool is_open(Index row) const { return open_[static_cast<std::size_t>(row)] != 0; }
  Index pool_size() const { return pool_size_; }

  /// The tiles, highest bound first. After changing bounds of the first `count` entries call restore_order().
  std::vector<Entry>& entries() { return entries_; }
  void restore_order(std::size_t count);

 private:
  std::vector<char> opened_tiles(const std::vector<char>& open);

  std::vector<Entry> entries_;
  std::vector<char> open_;  // by pool row
  Index epoch_ = -1, pool_size_ = 0, width_ = 0;
};

}  // namespace acuity
