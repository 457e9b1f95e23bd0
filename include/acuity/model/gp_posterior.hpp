#pragma once

#include <memory>

#include "acuity/base/public.hpp"
#include "acuity/data/observation.hpp"
#include "acuity/model/marginals.hpp"
#include "acuity/model/prior.hpp"

namespace acuity ACUITY_PUBLIC {

/// Options of GpPosterior::predict.
struct PredictOptions {
  int threads = 0;  ///< 0: all processors; the result does not depend on it
  /// Compute variances from a single-precision copy of the factor: twice as fast, with half the factor's
  /// memory in addition (less than the factorisation needed). Variances then have errors of about 5e-7 of the
  /// prior variance: with 5000 observations of 8 inputs the median error over 10,000 points was 3e-7 and the
  /// largest 2e-6 at a noise of 0.01, 6e-7 and 7e-6 at a noise of 1e-6 (prior variance 1). A variance of 1e-4
  /// of the prior's may thus have an error of 7 %. Means and the factorisation stay in double precision: in
  /// single precision, covariances of points close together are not positive definite if the noise is small.
  bool single_precision = false;
};

/// What an answer of a level with bias is made of, without noise (docs/math.md 12.1).
enum class AnswerPart {
  all,     ///< f, the offset and the smooth difference
  error,   ///< the offset and the smooth difference
  offset,  ///< the same at all points
  smooth
};

/// A posterior mean as a weighted sum over places: prior mean + k(x, points) weights, with x and points
/// scaled by the prior's scaling.
struct PlaceWeights {
  Observations places;  ///< replicates merged (docs/math.md 8); points as observed, not scaled
  Vector weights;       ///< (K + noise)^-1 (values - mean), one per place
};

/// A belief about several values and how they vary together.
struct JointPrediction {
  Vector mean;
  Matrix covariance;
};

class ChainedPosterior;

/// Gaussian process regression on annotations of differing precision (docs/math.md 2).
///
/// Every observation carries its own noise variance, so vague and sharp ones share one equation with
/// different weights. Repeated observations of a place are merged exactly (docs/math.md 8), so the cost
/// depends on the number of distinct places. A posterior is immutable; PoolBelief is the class that is
/// updated by one annotation at a time.
class GpPosterior {
 public:
  /// Keeps half of a places x places matrix, and needs a whole one during construction. `threads`: 0 means
  /// all processors; the result does not depend on it.
  GpPosterior(Prior prior, const Observations& observations, int threads = 0);

  /// Mean and variance of f at each row of `x`, without annotation noise.
  Marginals predict(const PointsRef& x, const PredictOptions& options = {}) const;

  /// Mean and variance of a part of the answers at a level with bias, at each row of `x`. `bias` is its
  /// number in the prior, from 1 on; with 0 the answer is f.
  Marginals predict_part(const PointsRef& x, int bias, AnswerPart part = AnswerPart::all) const;

  /// Answers at the places and with the channels of `answers`, without their noise: f, and the error of the
  /// level if it has a bias. The values of `answers` are not used.
  JointPrediction predict_answers(const Observations& answers) const;

  /// The mean alone, at a cost of n instead of n^2 per point (except after given()).
  Vector mean(const PointsRef& x) const;

  /// The mean in a form that other programs can evaluate, with the same noise floor as predict(). Throws
  /// std::invalid_argument for a chain of levels, which has none.
  PlaceWeights weights() const;

  /// Posterior covariance of f between every row of `a` and every row of `b`.
  Matrix covariance(const PointsRef& a, const PointsRef& b) const;

  /// The posterior with one more observation, at O(n^2): the factor is shared and one row is stored beside
  /// it. The factor is recomputed once in a number of calls proportional to n.
  GpPosterior given(const Observations& more) const;

  /// log p(values | points, prior) of the observations as given, the n/2 log(2 pi) term included: minus
  /// eq. (2.2) of docs/math.md.
  double log_marginal_likelihood() const;
  /// log det(K + noise), with one row per place after merging and one for each observation that given()
  /// added.
  double log_determinant() const;
  double quadratic_form() const;  ///< residual' (K + noise)^-1 residual, with the same rows

  /// The number of noise-free observations that were given a tiny noise because they repeat known ones.
  Index jittered() const;

 private:
  struct State;
  explicit GpPosterior(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state_;             // shared by copies: a posterior never changes
  std::shared_ptr<const ChainedPosterior> chain_;  // instead, if the prior has a chain
};

}  // namespace acuity ACUITY_PUBLIC
