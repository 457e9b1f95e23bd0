#include "model/full_posterior.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "acuity/model/ep_posterior.hpp"
#include "model/noise_floor.hpp"

namespace acuity {

FullPosterior full_posterior(const Prior& prior, const Observations& seen, const PointsRef& places) {
  const Points x = prior.scaling.apply(places);
  if (seen.size() == 0) return {Vector::Constant(x.rows(), prior.mean), prior.kernel->cross(x, x)};
  const Points answered = prior.scaling.apply(seen.points());
  Matrix noisy = prior.kernel->cross(answered, answered);
  const double least = least_noise * noisy.diagonal().maxCoeff();
  noisy.diagonal() += seen.noise().cwiseMax(least);
  const Eigen::LLT<Matrix> factor(noisy);
  if (factor.info() != Eigen::Success)
    throw NumericalError(
        "the covariance of the known answers is not positive definite; must have more noise");
  const Matrix explained = factor.matrixL().solve(prior.kernel->cross(answered, x));
  const Vector residual = factor.matrixL().solve((seen.values().array() - prior.mean).matrix());
  return {(explained.transpose() * residual).array() + prior.mean,
          prior.kernel->cross(x, x) - explained.transpose() * explained};
}

FullPosterior full_posterior_of_labels(const Prior& prior, const Observations& seen,
                                       const PointsRef& places) {
  const EpPosterior posterior(prior, seen);
  return {posterior.mean(places), posterior.covariance(places, places)};
}

Matrix spectral_root(const Matrix& covariance) {
  const Eigen::SelfAdjointEigenSolver<Matrix> parts(covariance);
  return parts.eigenvectors() * parts.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

Matrix pivoted_root(const Matrix& covariance) {
  const Index size = covariance.rows();
  Vector left = covariance.diagonal();
  const double least = 1e-12 * left.maxCoeff();
  Matrix root(size, size);
  Index rank = 0;
  for (; rank < size; ++rank) {
    Index pivot = 0;
    const double variance = left.maxCoeff(&pivot);
    if (!(variance > least)) break;
    Vector column = covariance.col(pivot);
    column.noalias() -= root.leftCols(rank) * root.row(pivot).head(rank).transpose();
    root.col(rank) = column / std::sqrt(variance);
    left -= root.col(rank).cwiseAbs2();
    left(pivot) = 0.0;
  }
  return root.leftCols(rank);
}

}  // namespace acuity
