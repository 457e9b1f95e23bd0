#pragma once

#include <vector>

#include "acuity/data/observation.hpp"
#include "acuity/model/prior.hpp"
#include "support/golden.hpp"

// Labels that may be flipped, for the tests of expectation propagation.

namespace acuity::testing {

inline Observations labelled(const Points& x, const Vector& labels, const Vector& accuracies) {
  std::vector<Channel> channels;
  for (const double accuracy : accuracies) channels.emplace_back(FlipChannel{accuracy});
  return {x, labels, channels};
}

struct ClassProblem {
  Prior prior;
  Observations observations;
};

/// A case of tests/golden/ep_fixed_points.json.
inline ClassProblem golden_class_problem(const nlohmann::json& g) {
  return {{.kernel = std::make_shared<StationaryKernel>(
               StationaryKernelOptions{.family = kernel_family(g.at("kernel")),
                                       .amplitude = g.at("a"),
                                       .lengthscale = Vector::Constant(1, g.at("l"))})},
          labelled(points(g.at("X")), vector(g.at("y")), vector(g.at("w")))};
}

}  // namespace acuity::testing
