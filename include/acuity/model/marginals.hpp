#pragma once

#include "acuity/data/points.hpp"

namespace acuity {

/// Belief about the latent f at each of a number of points, annotation noise not included. All that an
/// acquisition ever sees of a model.
struct Marginals {
  Vector mean;
  Vector variance;
};

/// A belief that is cheap to have, and how far each mean and each variance may be from the true one.
struct RoughMarginals {
  Marginals belief;
  Vector mean_error;
  Vector variance_error;
};

}  // namespace acuity
