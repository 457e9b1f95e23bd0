#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "acuity/data/points.hpp"

namespace acuity {

/// Adam on a negative log likelihood, with the paper's stop rule (math.md 2.6).
struct AdamOptions {
  double rate = 0.1;
  int epochs = 100;
  /// Stop when an epoch improves by no more than this share; absent: no stop test.
  std::optional<double> tolerance = 0.05;
};

struct AdamEpoch {
  Vector theta;
  double value;  ///< at theta, after the step
};

struct AdamResult {
  std::vector<AdamEpoch> epochs;  ///< the last one is kept, even if worse
  std::string reason;
};

/// Value and gradient at theta.
using AdamObjective = std::function<std::pair<double, Vector>(const Vector& theta)>;

AdamResult minimise_by_adam(const AdamObjective& objective, Vector theta, const AdamOptions& options = {});

}  // namespace acuity
