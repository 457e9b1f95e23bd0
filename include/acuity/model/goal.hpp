#pragma once

#include "acuity/base/public.hpp"
#include "acuity/data/points.hpp"

namespace acuity ACUITY_PUBLIC {

/// Where the model must be good (docs/math.md 13): points with weights.
struct Goal {
  Points points;   ///< in the units of the pool
  Vector weights;  ///< positive; their sum is 1
  /// Variance of the noise of an answer there that a user wants to predict: sigma^2(x) and the nugget, no
  /// level's. Only the criterion "prediction" of real values uses it, and there at least 1e-9 of the prior
  /// variance. May be empty: no noise.
  Vector noise;
  /// If above 0: of more goal points only so many count at a time, those of the largest mean + 3 standard
  /// deviations of f (docs/math.md 20.1). For real values.
  Index leading = 0;
  bool lowest_leads = false;  ///< of -f instead

  Index size() const { return points.rows(); }
};

}  // namespace acuity ACUITY_PUBLIC
