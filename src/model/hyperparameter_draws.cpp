#include "model/hyperparameter_draws.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace acuity {

Matrix minus_hessian(const Vector& at, const std::function<Vector(const Vector&)>& gradient, int threads) {
  constexpr double step = 1e-4;
  Matrix result(at.size(), at.size());
  base::parallel_for(at.size(), threads, [&](Index k) {
    Vector above = at, below = at;
    above(k) += step;
    below(k) -= step;
    result.col(k) = (gradient(below) - gradient(above)) / (2.0 * step);
  });
  return 0.5 * (result + result.transpose());
}

// The symmetric roots do not depend on the signs, the order or the basis of eigenvectors, which libraries
// choose as they like.
HyperparameterDraws draw_around(const HyperparameterOptimum& optimum, const Matrix& z,
                                const std::function<double(const Vector&)>& objective, int threads) {
  constexpr double least_curvature = 0.3;
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(optimum.minus_hessian);
  const Vector curvature = eigen.eigenvalues().cwiseMax(least_curvature);
  const Matrix& axes = eigen.eigenvectors();
  const Matrix root = axes * curvature.cwiseSqrt().asDiagonal() * axes.transpose();
  const Matrix inverse_root = axes * curvature.cwiseSqrt().cwiseInverse().asDiagonal() * axes.transpose();

  HyperparameterDraws draws;
  for (Index row = 0; row < z.rows(); ++row)
    for (const double sign : {1.0, -1.0}) {
      const Vector theta = optimum.theta + sign * (inverse_root * z.row(row).transpose());
      draws.theta.emplace_back(theta.cwiseMax(optimum.low).cwiseMin(optimum.high));
    }
  const Index count = static_cast<Index>(draws.theta.size());
  Vector log_weights(count);
  base::parallel_for(count, threads, [&](Index s) {
    const Vector& theta = draws.theta[static_cast<std::size_t>(s)];
    // Of the point that is used, which is not the one drawn where that was clipped.
    const double square = (root * (theta - optimum.theta)).squaredNorm();
    log_weights(s) = -0.5 * (optimum.objective - objective(theta)) + 0.25 * square;
  });
  draws.weights = Vector::Zero(count);
  double largest = -HUGE_VAL;
  for (const double weight : log_weights)
    if (std::isfinite(weight)) largest = std::max(largest, weight);
  if (!std::isfinite(largest)) return draws;
  for (Index s = 0; s < count; ++s)
    if (std::isfinite(log_weights(s))) draws.weights(s) = std::exp(log_weights(s) - largest);
  draws.weights /= draws.weights.sum();
  draws.effective = 1.0 / draws.weights.squaredNorm();
  return draws;
}

}  // namespace acuity
