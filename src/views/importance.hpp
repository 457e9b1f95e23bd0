#pragma once

#include <functional>
#include <string>
#include <vector>

#include "acuity/data/points.hpp"

namespace acuity {

/// How much of what a function varies over the pool goes with one input (Sobol' indices by Jansen's
/// estimators).
struct Importance {
  std::string input;
  double first = 0.0;  ///< share that the input explains alone
  double total = 0.0;  ///< share that would be left if all others were known: interactions included
};

/// Of every input, most important first. `mean` is the function at many points, as a model believes it.
/// Inputs are exchanged between pairs of pool points, drawn by a fixed seed, as if they varied independently.
/// Empty where the function is constant.
std::vector<Importance> importance_of(const std::function<Vector(const Points&)>& mean, const PointsRef& pool,
                                      const std::vector<std::string>& inputs);

}  // namespace acuity
