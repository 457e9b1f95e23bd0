#include "annotation/prior_truth.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "acuity/model/ep_posterior.hpp"
#include "acuity/numerics/errors.hpp"
#include "model/noise_floor.hpp"
#include "numerics/normal.hpp"
#include "numerics/random.hpp"

namespace acuity {

namespace {

struct Belief {
  Vector mean;
  Matrix covariance;
};

// math.md eq. (2.1) with the full covariance of the pool; GpPosterior::predict has variances only.
Belief given(const Prior& prior, const Observations& seen, const PointsRef& pool) {
  const Points x = prior.scaling.apply(pool), places = prior.scaling.apply(seen.points());
  Matrix noisy = prior.kernel->cross(places, places);
  const double least = least_noise * noisy.diagonal().maxCoeff();
  noisy.diagonal() += seen.noise().cwiseMax(least);
  const Eigen::LLT<Matrix> factor(noisy);
  if (factor.info() != Eigen::Success)
    throw NumericalError(
        "the covariance of the known answers is not positive definite; must have more noise");
  const Matrix explained = factor.matrixL().solve(prior.kernel->cross(places, x));
  const Vector residual = factor.matrixL().solve((seen.values().array() - prior.mean).matrix());
  return {(explained.transpose() * residual).array() + prior.mean,
          prior.kernel->cross(x, x) - explained.transpose() * explained};
}

Belief given_labels(const Prior& prior, const Observations& seen, const PointsRef& pool) {
  const EpPosterior posterior(prior, seen);
  return {posterior.mean(pool), posterior.covariance(pool, pool)};
}

}  // namespace

double assumed_spread(const Study& study) {
  double largest = 0.0;
  for (const Level& level : study.offer().levels) largest = std::max(largest, noise_variance(level.channel));
  largest += study.offer().base_noise.maxCoeff();
  return largest > 0.0 ? 2.0 * std::sqrt(largest) : 1.0;
}

PriorTruth::PriorTruth(const Study& study) : seed_(study.file().seed), binary_(study.file().binary()) {
  Prior prior = study.prior_given({});
  if (!binary_ && !study.file().amplitude) {
    Vector parameters = prior.kernel->log_parameters();
    parameters(0) = std::log(assumed_spread(study));
    prior.kernel = prior.kernel->with_log_parameters(parameters);
  }
  // Without annotations, inputs are standardised by the pool instead.
  if (study.file().standardise == Standardise::annotations)
    prior.scaling = Scaling::standardise(study.pool().points());
  const Points x = prior.scaling.apply(study.pool().points());
  mean_ = Vector::Constant(x.rows(), prior.mean);
  labels_if_positive_ = labels_if_negative_ = Vector::Ones(x.rows());
  take_root(prior.kernel->cross(x, x));
}

PriorTruth::PriorTruth(const Study& study, const Prior& prior, const Observations& seen)
    : seed_(study.file().seed), binary_(study.file().binary()) {
  const PointsRef pool = study.pool().points();
  const Belief belief = binary_ ? given_labels(prior, seen, pool) : given(prior, seen, pool);
  mean_ = belief.mean;
  labels_if_positive_ = labels_if_negative_ = Vector::Ones(pool.rows());
  for (Index i = 0; binary_ && i < seen.size(); ++i) {
    const double accuracy = std::get<FlipChannel>(seen.channels()[static_cast<std::size_t>(i)]).accuracy;
    const bool positive = seen.values()(i) > 0.0;
    for (Index row = 0; row < pool.rows(); ++row)
      if (pool.row(row) == seen.points().row(i)) {
        labels_if_positive_(row) *= positive ? accuracy : 1.0 - accuracy;
        labels_if_negative_(row) *= positive ? 1.0 - accuracy : accuracy;
      }
  }
  take_root(belief.covariance);
}

// The covariance of close points is singular up to rounding, so a Cholesky factor may not exist; eigenvalues
// can be clamped at 0.
void PriorTruth::take_root(const Matrix& covariance) {
  const Eigen::SelfAdjointEigenSolver<Matrix> parts(covariance);
  root_ = parts.eigenvectors() * parts.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

std::shared_ptr<const TruthTable> PriorTruth::draw(std::uint32_t number) const {
  numerics::Draws draws(seed_, numerics::Purpose::prior_truth, number);
  Vector independent(root_.cols());
  for (double& value : independent) value = draws.normal();
  Vector f = root_ * independent + mean_;
  for (Index row = 0; binary_ && row < f.size(); ++row) {
    const double positive = numerics::normal_cdf(f(row)) * labels_if_positive_(row),
                 negative = numerics::normal_cdf(-f(row)) * labels_if_negative_(row);
    // If labels of accuracy 1 contradict each other, only f is left to decide.
    const double probability =
        positive + negative > 0.0 ? positive / (positive + negative) : numerics::normal_cdf(f(row));
    f(row) = draws.uniform() < probability ? 1.0 : -1.0;
  }
  return std::make_shared<const TruthTable>(std::move(f));
}

}  // namespace acuity
