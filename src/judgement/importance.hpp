#pragma once

#include <functional>
#include <string>
#include <vector>

#include "acuity/data/points.hpp"

namespace acuity {

/// The share of a function's variance over the pool that is due to one input (Sobol' indices by Jansen's
/// estimators).
struct Importance {
  std::string input;
  double first = 0.0;  ///< share explained by the input alone
  double total = 0.0;  ///< share left if all other inputs were fixed: interactions included
};

/// The importance of every input, most important first. `mean` evaluates the posterior mean at many points.
/// Inputs are exchanged between pairs of pool points, drawn with a fixed seed, as if they varied
/// independently. Empty if the function is constant.
std::vector<Importance> importance_of(const std::function<Vector(const Points&)>& mean, const PointsRef& pool,
                                      const std::vector<std::string>& inputs);

}  // namespace acuity
