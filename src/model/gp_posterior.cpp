#include "acuity/model/gp_posterior.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "acuity/model/replicates.hpp"
#include "model/noise_floor.hpp"
#include "numerics/growing_factor.hpp"

namespace acuity {

namespace {

// Row by row, noise added where the pivot is formed: cannot fail while noise is positive, however many
// observations coincide.
Matrix factor_carefully(const Matrix& kernel, const Vector& noise, Index& jittered) {
  const Index n = kernel.rows();
  numerics::GrowingFactor factor;
  Matrix lower = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    Vector l = kernel.col(i).head(i);
    factor.solve(l.data());
    const Pivot p = pivot(kernel(i, i) - l.squaredNorm(), noise(i), kernel(i, i));
    jittered += p.jittered ? 1 : 0;
    factor.append(l.data(), std::sqrt(p.squared));
    lower.row(i).head(i) = l.transpose();
    lower(i, i) = std::sqrt(p.squared);
  }
  return lower;
}

}  // namespace

// Annotations of one place are one row (math.md 8): the factor grows with the places, not the annotations.
GpPosterior::GpPosterior(Prior prior, const Observations& observations)
    : GpPosterior(std::move(prior), merge_replicates(observations)) {}

GpPosterior::GpPosterior(Prior prior, const Replicates& replicates)
    : prior_(std::move(prior)),
      points_(prior_.scaling.apply(replicates.merged.points())),
      replicate_term_(replicates.log_likelihood_excess) {
  const Matrix kernel = prior_.kernel->cross(points_, points_);
  const Vector noise = replicates.merged.noise();
  for (const double variance : noise) pivot(1.0, variance, 1.0);  // says what is wrong with it
  Matrix covariance = kernel;
  covariance.diagonal() += noise;
  const Eigen::LLT<Matrix> blocked(covariance);
  const bool well_behaved =
      blocked.info() == Eigen::Success && (noise.array() >= least_noise * kernel.diagonal().array()).all();
  factor_ = well_behaved ? Matrix(blocked.matrixL()) : factor_carefully(kernel, noise, jittered_);
  residual_ = factor_.triangularView<Eigen::Lower>().solve(
      (replicates.merged.values().array() - prior_.mean).matrix());
}

// math.md eq. (2.1). Solving against the factor, rather than forming an inverse, keeps the variance accurate
// where annotations crowd together; the clamp removes the last rounding below zero. In blocks: memory stays
// bounded.
Marginals GpPosterior::predict(const PointsRef& x) const {
  constexpr Index block = 1024;
  Marginals marginals{Vector(x.rows()), Vector(x.rows())};
  for (Index begin = 0; begin < x.rows(); begin += block) {
    const Index count = std::min(block, x.rows() - begin);
    const Points scaled = prior_.scaling.apply(x.middleRows(begin, count));
    Matrix v = prior_.kernel->cross(points_, scaled);
    factor_.triangularView<Eigen::Lower>().solveInPlace(v);
    marginals.mean.segment(begin, count) = (v.transpose() * residual_).array() + prior_.mean;
    marginals.variance.segment(begin, count) =
        (prior_.kernel->diagonal(scaled) - v.colwise().squaredNorm().transpose()).cwiseMax(0.0);
  }
  return marginals;
}

double GpPosterior::log_determinant() const {
  return 2.0 * factor_.diagonal().array().log().sum();
}

double GpPosterior::quadratic_form() const {
  return residual_.squaredNorm();
}

double GpPosterior::log_marginal_likelihood() const {
  const double places = static_cast<double>(residual_.size());
  return replicate_term_ -
         0.5 * (log_determinant() + quadratic_form() + places * std::log(2.0 * std::numbers::pi));
}

}  // namespace acuity
