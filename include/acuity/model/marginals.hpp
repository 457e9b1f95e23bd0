#pragma once

#include "acuity/data/points.hpp"

namespace acuity {

/// Belief about the latent f at each of a number of points, annotation noise not included. All that an
/// acquisition ever sees of a model.
struct Marginals {
  Vector mean;
  Vector variance;
};

}  // namespace acuity
