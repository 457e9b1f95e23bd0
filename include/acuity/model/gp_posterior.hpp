#pragma once

#include "acuity/data/observation.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/model/prior.hpp"
#include "acuity/model/replicates.hpp"

namespace acuity {

/// Gaussian process regression on annotations of differing precision (docs/math.md 2).
///
/// Every observation carries its own noise variance, so vague and sharp ones share one equation with
/// different weights. Observations of one place are merged exactly (docs/math.md 8), so the cost is that of
/// the distinct places. A posterior is a value: it never changes. The running belief about a pool, which
/// grows by one annotation at a time, is PoolBelief.
class GpPosterior {
 public:
  GpPosterior(Prior prior, const Observations& observations);

  /// Belief about f at each row of `x`, before annotation noise is added.
  Marginals predict(const PointsRef& x) const;

  /// log p(values | points, prior) of the observations as given, the n/2 log(2 pi) term included: minus
  /// eq. (2.2) of docs/math.md.
  double log_marginal_likelihood() const;
  double log_determinant() const;  ///< of K + noise, one row per place after merging
  double quadratic_form() const;   ///< residual' (K + noise)^-1 residual, likewise

  /// How many observations without noise got a tiny one, because they repeat what was known already.
  Index jittered() const { return jittered_; }

 private:
  GpPosterior(Prior prior, const Replicates& replicates);

  Prior prior_;
  Points points_;                // scaled
  Matrix factor_;                // lower triangle: L of K + noise = L L'
  Vector residual_;              // L^-1 (values - mean)
  double replicate_term_ = 0.0;  // log likelihood of the observations beyond that of the merged ones
  Index jittered_ = 0;
};

}  // namespace acuity
