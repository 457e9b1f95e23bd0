#pragma once

#include <functional>
#include <vector>

#include "acuity/data/points.hpp"

namespace acuity {

/// Minus the matrix of second derivatives by central differences of a gradient, step 1e-4, made symmetric.
Matrix minus_hessian(const Vector& at, const std::function<Vector(const Vector&)>& gradient, int threads);

/// What a posterior of hyperparameters is averaged over.
struct HyperparameterDraws {
  std::vector<Vector> theta;
  Vector weights;          ///< sum to 1
  double effective = 0.0;  ///< 1 / sum of squared weights
};

/// An optimum of a log posterior density, up to a constant, and what is known of the density around it.
struct HyperparameterOptimum {
  Vector theta;
  double objective = 0.0;
  Matrix minus_hessian;
  Vector low, high;  ///< draws are clipped to these
};

/// docs/math.md eq. (11.5) to (11.7): two draws, + and -, for each row of `z`; in that order. Weights are 0
/// where the objective is not finite; `effective` is 0 if all are.
HyperparameterDraws draw_around(const HyperparameterOptimum& optimum, const Matrix& z,
                                const std::function<double(const Vector&)>& objective, int threads);

}  // namespace acuity
