#pragma once

#include <vector>

#include "acuity/data/observation.hpp"
#include "acuity/model/prior.hpp"
#include "numerics/random.hpp"
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

/// Labels declared to be right with probability 0.99 of which a fifth is wrong, four at every place, under a
/// very large amplitude: not even clipped sites come to rest.
inline ClassProblem contradicting_problem() {
  constexpr Index n = 40;
  numerics::Draws draws(77, numerics::Purpose::data, 804);
  Points x(n, 2);
  Vector labels(n);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = draws.uniform(-2.0, 2.0);
    x(i, 1) = draws.uniform(-2.0, 2.0);
    if (i % 4 != 0) x.row(i) = x.row(i - i % 4);
    const double truth = x(i, 0) + 0.5 * x(i, 1) > 0.0 ? 1.0 : -1.0;
    labels(i) = draws.uniform() < 0.8 ? truth : -truth;
  }
  return {{.kernel = std::make_shared<StationaryKernel>(
               StationaryKernelOptions{.amplitude = 1e4, .lengthscale = Vector::Constant(1, 3.0)})},
          labelled(x, labels, Vector::Constant(n, 0.99))};
}

/// A case of tests/golden/ep_fixed_points.json.
inline ClassProblem golden_class_problem(const nlohmann::json& g) {
  return {{.kernel = std::make_shared<StationaryKernel>(
               StationaryKernelOptions{.family = kernel_family(g.at("kernel")),
                                       .amplitude = g.at("a"),
                                       .lengthscale = Vector::Constant(1, g.at("l"))})},
          labelled(points(g.at("X")), vector(g.at("y")), vector(g.at("w")))};
}

}  // namespace acuity::testing
