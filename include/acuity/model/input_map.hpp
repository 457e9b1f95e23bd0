#pragma once

#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/data/input.hpp"
#include "acuity/data/points.hpp"

namespace acuity ACUITY_PUBLIC {

/// A strictly increasing function of one input: straight lines between nodes, and beyond them lines of one
/// slope. Default: the identity.
struct InputMap {
  std::vector<double> from, to;  ///< the nodes, increasing
  double slope_beyond = 1.0;

  double operator()(double x) const;
  bool is_identity() const { return from.empty(); }

  friend bool operator==(const InputMap&, const InputMap&) = default;
};

/// One map per input, half way from its values to the normal scores of its ranks in `points` (docs/math.md
/// eq. (11.11)). The identity for categories and constant inputs. Inputs on a log scale are mapped after the
/// logarithm.
std::vector<InputMap> maps_to_ranks(const PointsRef& points,
                                    const std::vector<InputTransform>& transforms = {});

}  // namespace acuity ACUITY_PUBLIC
