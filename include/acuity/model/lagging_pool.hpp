#pragma once

#include <span>

#include "acuity/model/marginals.hpp"

namespace acuity {

/// A pool in tiles that may lag behind the annotations. In regression a variance only falls while annotations
/// come in, so one that lags is an upper bound: whoever looks for large ones refreshes few tiles
/// (docs/math.md 6).
class LaggingPool {
 public:
  virtual ~LaggingPool() = default;

  /// Tile t holds the pool rows from t * tile_width() on.
  virtual Index tile_width() const = 0;
  /// As far as each tile has come: variances are exact or too large.
  virtual const Marginals& so_far() const = 0;
  /// Brings a tile up to date. Different tiles may be refreshed by different threads at a time.
  virtual void refresh(Index tile) = 0;
  /// Changes when variances may have risen: an annotation was taken back.
  virtual Index epoch() const = 0;

  /// Whether it is certain, without any refreshing, that every mean and variance is finite and will be.
  virtual bool surely_finite() const = 0;

  /// How far the variances of refreshed tiles may be from the truth: 0 but for single precision.
  virtual double error() const = 0;
  /// The belief about these pool rows, whose tiles have been refreshed, without that error.
  virtual Marginals exact_at(std::span<const Index> rows) const = 0;
};

}  // namespace acuity
