#pragma once

#include "model/ep_state.hpp"
#include "model/panel_rows.hpp"

namespace acuity {

/// The belief of an EpPosterior about a pool whose covariances are nearly of low rank, up to errors that are
/// bounded (math.md 3.10). With r rows of F a point costs O(r^2) in place of O(n^2); the sketch itself
/// O(n^2 r + n r^2).
class EpSketch {
 public:
  /// Row i of `columns` is the column of F of annotation i.
  EpSketch(const EpPosterior& posterior, const Matrix& columns);

  /// False if the factorisation failed for rounding; then nothing else may be called.
  bool is_valid() const { return is_valid_; }

  /// `tile`: r rows of numerics::tile_columns, columns of F. Sets as many means, and variances less what F
  /// leaves of the prior ones.
  void predict(const double* tile, double* mean, double* variance) const;

  /// How far the mean may be from the exact one at a point of which F leaves `rest`.
  double mean_error(double rest) const;
  /// How far the variance, `rest` added, may be from the exact one; `prior_variance`: that of the point.
  double variance_error(double rest, double prior_variance) const;

 private:
  Vector mean_weights_;  // u
  PanelRows factor_;     // of P
  bool is_valid_ = false;
  double mean_scale_ = 0.0, variance_scale_ = 0.0, curvature_ = 0.0;  // of the errors
  double largest_prior_variance_ = 0.0, mean_rounding_ = 0.0, variance_rounding_ = 0.0;
};

}  // namespace acuity
