#pragma once

#include "acuity/data/observation.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/model/prior.hpp"

namespace acuity {

/// Gaussian process regression on annotations of differing precision (docs/math.md 2).
///
/// Every observation carries its own noise variance, so vague and sharp ones share one equation with
/// different weights. A posterior is a value: it never changes. The running belief about a pool, which
/// grows by one annotation at a time, is PoolBelief.
class GpPosterior {
 public:
  GpPosterior(Prior prior, const Observations& observations);

  /// Belief about f at each row of `x`, before annotation noise is added.
  Marginals predict(const PointsRef& x) const;

  /// log p(values | points, prior), the n/2 log(2 pi) term included: minus eq. (2.2) of docs/math.md.
  double log_marginal_likelihood() const;
  double log_determinant() const;  ///< of K + noise
  double quadratic_form() const;   ///< residual' (K + noise)^-1 residual

  /// How many observations without noise got a tiny one, because they repeat what was known already.
  Index jittered() const { return jittered_; }

 private:
  Prior prior_;
  Points points_;    // scaled
  Matrix factor_;    // lower triangle: L of K + noise = L L'
  Vector residual_;  // L^-1 (values - mean)
  Index jittered_ = 0;
};

}  // namespace acuity
