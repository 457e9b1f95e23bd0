#include "acuity/model/leave_one_out.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "acuity/numerics/errors.hpp"
#include "model/answer_kernel.hpp"
#include "model/noise_floor.hpp"
#include "numerics/normal.hpp"

namespace acuity {

Vector LeaveOneOut::scores(const Vector& values) const {
  return (values - mean).array() / variance.array().sqrt();
}

// math.md eq. (2.6). The diagonal of the inverse comes from the inverse of the factor, which loses less than
// forming the whole one.
LeaveOneOut leave_one_out(const Prior& prior, const Observations& observations) {
  if (prior.has_bias()) return leave_one_out(answer_prior(prior), answer_observations(observations));
  const Index n = observations.size();
  if (n == 0) return {Vector(0), Vector(0)};
  const Points x = prior.scaling.apply(observations.points());
  Matrix covariance = prior.kernel->cross(x, x);
  // Noise that would be lost in rounding is raised (math.md 2.7), further where a crowd of such observations
  // needs it: what one says of the next is known no better than that anyway.
  const Vector diagonal = covariance.diagonal(), noise = observations.noise();
  Eigen::LLT<Matrix> factor;
  for (double least = least_noise; least < 1e-7; least *= 10.0) {
    covariance.diagonal() = diagonal + noise.cwiseMax(least * diagonal);
    factor.compute(covariance);
    if (factor.info() == Eigen::Success) break;
  }
  if (factor.info() != Eigen::Success)
    throw NumericalError("leave_one_out: the covariance of the observations is not positive definite");
  const Matrix inverse = factor.matrixL().solve(Matrix::Identity(n, n));
  const Vector precision = inverse.colwise().squaredNorm();
  const Vector weights = factor.solve((observations.values().array() - prior.mean).matrix());
  return {.mean = observations.values() - weights.cwiseQuotient(precision),
          .variance = precision.cwiseInverse()};
}

// math.md eq. (3.14).
Vector leave_one_out_probabilities(const EpPosterior& posterior, const Observations& observations) {
  const Marginals& cavity = posterior.cavities();
  require(cavity.mean.size() == observations.size(), "leave_one_out_probabilities", "number of observations",
          static_cast<double>(observations.size()), "that of the posterior");
  Vector probabilities(observations.size());
  for (Index i = 0; i < probabilities.size(); ++i) {
    const double accuracy =
        std::get<FlipChannel>(observations.channels()[static_cast<std::size_t>(i)]).accuracy;
    const double clean = numerics::normal_cdf(cavity.mean(i) / std::sqrt(1.0 + cavity.variance(i)));
    probabilities(i) = accuracy * clean + (1.0 - accuracy) * (1.0 - clean);
  }
  return probabilities;
}

}  // namespace acuity
