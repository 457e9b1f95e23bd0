#pragma once

#include "model/ep_state.hpp"

namespace acuity {

/// The two factors of an EP posterior applied to covariances with the annotated points: the posterior
/// covariance of two places is the prior's, less the product of their `shrink` columns, plus that of their
/// `widen` columns (math.md eq. (3.10)).
struct EpColumns {
  Matrix shrink;  ///< one row per positive site
  Matrix widen;   ///< one row per negative site

  /// `k`: prior covariances, one row per annotated point and one column per place.
  EpColumns(const EpPosterior::State& posterior, const Matrix& k);

  Index places() const { return shrink.cols(); }
  /// Turns prior covariances of these places (rows) with others (columns) into posterior ones.
  void condition(const EpColumns& others, Matrix& covariances) const;
};

}  // namespace acuity
