#pragma once

#include "acuity/data/points.hpp"

namespace acuity {

/// Posterior mean and variance of the latent f at a number of points, without annotation noise. An
/// acquisition sees nothing else of a model.
struct Marginals {
  Vector mean;
  Vector variance;
};

}  // namespace acuity
