#include "model/ep_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/dispatch.hpp"

namespace acuity {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// c += a b or a' b
void add_product(bool transpose_a, const Matrix& a, const Matrix& b, Matrix& c) {
  const numerics::Product shape{c.rows(), c.cols(), b.rows(), transpose_a, false};
  numerics::kernels().add_product(shape, 1.0, a.data(), a.rows(), b.data(), b.rows(), c.data(), c.rows());
}

// What rounding adds to E.
double with_rounding(double rest, double prior_variance) {
  return rest + 1e-13 * prior_variance;
}

}  // namespace

// math.md eq. (3.12) and (3.13), with Phi for `columns`.
EpSketch::EpSketch(const EpPosterior& of, const Matrix& columns) {
  const EpPosterior::State& posterior = of.state();
  const Index n = columns.rows(), r = columns.cols();
  const Vector &tau = posterior.sites.precision, &w = posterior.weights;
  const Matrix weighted = tau.asDiagonal() * columns;
  Matrix reach = Matrix::Zero(n, r), explained = Matrix::Zero(r, r);
  add_product(false, posterior.covariance, weighted, reach);  // K A Phi = Sigma S Phi
  const Matrix taken = tau.asDiagonal() * reach, acting = weighted - taken;
  add_product(true, columns, acting, explained);
  mean_weights_ = columns.transpose() * w;

  // P = H' H with H lower triangular: the Cholesky factor of the matrix turned round.
  Matrix turned = -explained.reverse();
  turned.diagonal().array() += 1.0;
  if (!turned.allFinite() || !numerics::kernels().cholesky(turned.data(), r, r)) return;
  factor_.add(turned.reverse().transpose(), 1);
  is_valid_ = true;

  const Vector prior_variance = posterior.kernel.diagonal();
  largest_prior_variance_ = n > 0 ? prior_variance.maxCoeff() : 0.0;
  double rest = 0.0;
  for (Index i = 0; i < n; ++i)
    rest += with_rounding(std::max(prior_variance(i) - columns.row(i).squaredNorm(), 0.0), prior_variance(i));
  const double steepest = n > 0 ? tau.cwiseAbs().maxCoeff() : 0.0,
               digits = static_cast<double>(n + r) * epsilon;
  const double length = acting.cwiseProduct(reach).sum(), shorter = explained.squaredNorm();
  variance_scale_ =
      std::sqrt(std::max(length - shorter, 0.0) + 8.0 * digits * (acting.norm() * reach.norm() + shorter));
  curvature_ = rest * (steepest + steepest * steepest * posterior.posterior.variance.sum());
  const Vector products = w.cwiseProduct(posterior.posterior.mean);
  const double known = mean_weights_.squaredNorm();
  mean_scale_ = std::sqrt(std::max(products.sum() - known, 0.0) +
                          8.0 * digits * (products.cwiseAbs().sum() + known + w.squaredNorm()));
  mean_rounding_ = 8.0 * digits * w.cwiseAbs().sum();
  variance_rounding_ = 8.0 * digits *
                       (1.0 + columns.norm() * (weighted.norm() + taken.norm()) +
                        largest_prior_variance_ * weighted.squaredNorm());
}

void EpSketch::predict(const double* tile, double* mean, double* variance) const {
  constexpr Index width = numerics::tile_columns;
  std::fill_n(mean, width, 0.0);
  std::fill_n(variance, width, 0.0);
  numerics::kernels().add_columns(tile, width, mean_weights_.size(), mean_weights_.data(), width, mean);
  numerics::kernels().add_squares(factor_.panels(), tile, variance);
}

// math.md eq. (3.13)
double EpSketch::mean_error(double rest) const {
  return mean_scale_ * std::sqrt(with_rounding(rest, largest_prior_variance_)) +
         mean_rounding_ * largest_prior_variance_;
}

double EpSketch::variance_error(double rest, double prior_variance) const {
  const double left = with_rounding(rest, prior_variance);
  return 2.0 * variance_scale_ * std::sqrt(left * prior_variance) + curvature_ * left +
         variance_rounding_ * std::max(prior_variance, largest_prior_variance_);
}

}  // namespace acuity
