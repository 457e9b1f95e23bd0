#pragma once

#include "acuity/data/observation.hpp"
#include "acuity/model/prior.hpp"

namespace acuity {

/// f at some places with all its covariances, to draw functions from; GpPosterior has variances only. It
/// costs the cube of the number of places.
struct FullPosterior {
  Vector mean;
  Matrix covariance;
};

/// math.md eq. (2.1).
FullPosterior full_posterior(const Prior& prior, const Observations& seen, const PointsRef& places);

/// The same, by expectation propagation, from labels of two classes.
FullPosterior full_posterior_of_labels(const Prior& prior, const Observations& seen, const PointsRef& places);

/// A matrix whose product with its transpose is the covariance, by eigenvalues, which can be clamped at 0:
/// the covariance of close points is singular up to rounding, so a Cholesky factor may not exist.
Matrix spectral_root(const Matrix& covariance);

/// The same by Cholesky with pivots, up to 1e-12 of the largest variance, with as many columns as the rank.
/// With levels there are several times as many rows as points, mostly of low rank: this is much faster than
/// eigenvalues.
Matrix pivoted_root(const Matrix& covariance);

}  // namespace acuity
