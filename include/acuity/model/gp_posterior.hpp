#pragma once

#include <memory>

#include "acuity/data/observation.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/model/prior.hpp"

namespace acuity {

/// How to compute a prediction.
struct PredictOptions {
  int threads = 0;  ///< 0: all the machine has; the result does not depend on it
  /// Variances from a float copy of the factor: twice as fast, and half the factor's memory more, which is
  /// less than making the factor took. They are then off by about 5e-7 of the prior variance: with 5000
  /// observations of 8 inputs the median of 10,000 points was 3e-7 and the worst 2e-6 at a noise of 0.01,
  /// 6e-7 and 7e-6 at a noise of 1e-6 (prior variance 1). So a variance of 1e-4 of the prior's may be off by
  /// 7 %. Means stay in double precision, and so does the factorisation: rounded to float, covariances of
  /// places close together are no longer positive definite if the noise is small.
  bool single_precision = false;
};

/// A posterior mean as a sum over places: prior mean + k(x, points) weights, x and points scaled as the prior
/// says.
struct PlaceWeights {
  Observations places;  ///< replicates merged (docs/math.md 8); points as observed, not scaled
  Vector weights;       ///< (K + noise)^-1 (values - mean), one per place
};

/// Gaussian process regression on annotations of differing precision (docs/math.md 2).
///
/// Every observation carries its own noise variance, so vague and sharp ones share one equation with
/// different weights. Observations of one place are merged exactly (docs/math.md 8), so the cost is that of
/// the distinct places. A posterior is a value: it never changes. The running belief about a pool, which
/// grows by one annotation at a time, is PoolBelief.
class GpPosterior {
 public:
  /// Holds half a matrix of places x places, and a whole one on the way there. `threads`: 0 means all the
  /// machine has; the result does not depend on it.
  GpPosterior(Prior prior, const Observations& observations, int threads = 0);

  /// Belief about f at each row of `x`, before annotation noise is added.
  Marginals predict(const PointsRef& x, const PredictOptions& options = {}) const;

  /// The mean alone, which costs n a point instead of n^2 (but not after given()).
  Vector mean(const PointsRef& x) const;

  /// The mean in a form that other programs can compute, with the same noise floor as predict().
  PlaceWeights weights() const;

  /// Posterior covariance of f between every row of `a` and every row of `b`.
  Matrix covariance(const PointsRef& a, const PointsRef& b) const;

  /// The posterior once this is observed, too, for O(n^2): the factor is shared and one row is added beside
  /// it. Once in a number of calls proportional to n the factor is computed again.
  GpPosterior given(const Observations& more) const;

  /// log p(values | points, prior) of the observations as given, the n/2 log(2 pi) term included: minus
  /// eq. (2.2) of docs/math.md.
  double log_marginal_likelihood() const;
  /// Of K + noise, one row per place after merging, and one for each that given() added.
  double log_determinant() const;
  double quadratic_form() const;  ///< residual' (K + noise)^-1 residual, with the same rows

  /// How many observations without noise got a tiny one, because they repeat what was known already.
  Index jittered() const;

 private:
  struct State;
  explicit GpPosterior(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;  // shared by copies: a posterior never changes
};

}  // namespace acuity
