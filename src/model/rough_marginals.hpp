#pragma once

#include "acuity/model/marginals.hpp"

namespace acuity {

/// A belief that costs little to compute, and how far each mean and each variance may be from the exact one.
struct RoughMarginals {
  Marginals belief;
  Vector mean_error;
  Vector variance_error;
};

}  // namespace acuity
