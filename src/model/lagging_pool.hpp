#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "acuity/model/marginals.hpp"

namespace acuity {

/// How far a computed variance may be from the exact one. Default: not at all.
struct VarianceError {
  double absolute = 0.0;
  /// How far sqrt(prior - variance) may be from the exact one (math.md eq. (6.5)).
  double root = 0.0;
  double prior = 0.0;  ///< the variance before any annotation, needed if root is not 0

  double at_most(double variance) const { return moved(variance, -root) + absolute; }
  double at_least(double variance) const { return std::max(moved(variance, root) - absolute, 0.0); }
  /// The largest error of any variance.
  double largest() const { return root * (2.0 * std::sqrt(prior) + root) + absolute; }

 private:
  double moved(double variance, double by) const {
    if (by == 0.0) return variance;
    const double explained = std::max(std::sqrt(std::max(prior - variance, 0.0)) + by, 0.0);
    return prior - explained * explained;
  }
};

/// A pool in tiles that may lag behind the annotations. In regression a variance only falls while annotations
/// come in, so one that lags is an upper bound: a search for large ones refreshes few tiles (math.md 6).
class LaggingPool {
 public:
  virtual ~LaggingPool() = default;

  /// Tile t holds the pool rows from t * tile_width() on.
  virtual Index tile_width() const = 0;
  /// As far as each tile has come: variances are exact or too large, but for error(). Means may be those of
  /// the prior.
  virtual const Marginals& so_far() const = 0;
  /// Brings a tile up to date. Different tiles may be refreshed by different threads at a time.
  virtual void refresh(Index tile) = 0;
  /// Changes when variances may have risen: an annotation was taken back.
  virtual Index epoch() const = 0;

  /// Whether so_far() says more than the prior of tiles that were never refreshed.
  virtual bool has_bounds() const { return false; }

  /// True if every mean and variance is certain to be finite, known without refreshing any tile.
  virtual bool surely_finite() const = 0;

  /// How far the variances of refreshed tiles may be from the exact ones: not at all if they are computed in
  /// full and in double precision.
  virtual VarianceError error() const = 0;
  /// The belief about these pool rows, whose tiles have been refreshed, without that error.
  virtual Marginals exact_at(std::span<const Index> rows) const = 0;
};

}  // namespace acuity
