#pragma once

#include <functional>
#include <string>
#include <vector>

#include "acuity/data/points.hpp"

namespace acuity {

/// The share of a function's variance over the pool that is due to one input (Sobol' indices by Jansen's
/// estimators), with standard errors.
struct Importance {
  std::string input;
  double first = 0.0;  ///< share explained by the input alone; never above `total`
  double total = 0.0;  ///< share left if all other inputs were fixed: interactions included
  double first_error = 0.0, total_error = 0.0;
  double effect = 0.0;  ///< InputEffect::range
};

/// The function whose inputs are compared, at many points.
struct ImportanceOf {
  std::function<Vector(const Points&)> mean;  ///< of f
  /// Covariance of f between every two points: the errors include how well f is known. Empty: not known.
  std::function<Matrix(const Points&)> covariance = {};
  std::function<Vector(const Points&)> expectation = {};  ///< in whose unit effects are; empty: the mean
};

/// The importance of every input, most important first. The inputs of a place are drawn independently of each
/// other from the values in the pool, with a fixed seed: shares are defined for independent inputs only, and
/// otherwise an input alone can seem to explain more than with its interactions. Empty if the function is
/// constant.
std::vector<Importance> importance_of(const ImportanceOf& f, const PointsRef& pool,
                                      const std::vector<std::string>& inputs);

/// How much a prediction changes if one input runs through its values while the others stay.
struct InputEffect {
  double range = 0.0;  ///< largest minus smallest prediction: the median over some pool points
};
/// Of every input, in the order of the columns.
std::vector<InputEffect> input_effects(const std::function<Vector(const Points&)>& expectation,
                                       const PointsRef& pool);
/// The pool points at which effects are measured.
Points places_of_effects(const PointsRef& pool);

}  // namespace acuity
