#pragma once

#include <vector>

#include "model/ep_state.hpp"
#include "model/panel_rows.hpp"

namespace acuity {

/// Predicts many points from an EpPosterior, a tile at a time (math.md eq. (3.10)): the two factors written
/// as one lower triangular matrix T that acts on the covariances with the annotated points, so that a
/// variance is the prior's, less the squares of the first rows of T k, plus those of the others. The matrix
/// is made once, for O(n^2 + q n^2) with q negative sites; the posterior must outlive it.
class EpPredictor {
 public:
  explicit EpPredictor(const EpPosterior& posterior);
  explicit EpPredictor(const EpPosterior::State& posterior);

  static constexpr Index width = numerics::tile_columns;

  /// The annotated points in the order of the rows of a tile.
  const std::vector<Index>& order() const { return order_; }

  /// `tile`: one row of `width` covariances per annotated point, in order(). Sets `width` means and what the
  /// annotations take off the prior variances.
  void predict(const double* tile, double* mean, double* explained) const;

  Marginals predict(const PointsRef& x) const;

 private:
  const EpPosterior::State& posterior_;
  std::vector<Index> order_;
  Vector weights_;
  PanelRows shrinking_, widening_;  // of T
};

}  // namespace acuity
