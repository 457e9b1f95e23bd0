#include "annotation/prior_truth.hpp"

#include <Eigen/Eigenvalues>

#include "numerics/normal.hpp"
#include "numerics/random.hpp"

namespace acuity {

PriorTruth::PriorTruth(const Study& study) : seed_(study.file().seed), binary_(study.file().binary) {
  Prior prior = study.prior_given({});
  // Before there are annotations to take the scale from, the pool has to do.
  if (study.file().standardise == Standardise::annotations)
    prior.scaling = Scaling::standardise(study.pool().points());
  const Points x = prior.scaling.apply(study.pool().points());
  // Close points make a covariance that is singular up to rounding; eigenvalues can be told to stop at 0.
  const Eigen::SelfAdjointEigenSolver<Matrix> parts(prior.kernel->cross(x, x));
  mean_ = prior.mean;
  root_ = parts.eigenvectors() * parts.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
}

std::shared_ptr<const TruthTable> PriorTruth::draw(std::uint32_t number) const {
  numerics::Draws draws(seed_, numerics::Purpose::prior_truth, number);
  Vector independent(root_.cols());
  for (double& value : independent) value = draws.normal();
  Vector f = (root_ * independent).array() + mean_;
  if (binary_)
    for (double& value : f) value = draws.uniform() < numerics::normal_cdf(value) ? 1.0 : -1.0;
  return std::make_shared<const TruthTable>(std::move(f));
}

}  // namespace acuity
