#pragma once

#include <cmath>

#include "acuity/numerics/errors.hpp"

namespace acuity {

/// The square of a new diagonal entry of the factor, s + noise (math.md eq. (2.3)). With positive noise it is
/// positive whatever rounding did to s. An exact observation of something known already would make it zero:
/// it gets a tiny noise, and the caller counts it.
struct Pivot {
  double squared;
  double noise;
  bool jittered;
};

inline Pivot pivot(double latent_variance, double noise, double prior_variance) {
  require(std::isfinite(noise) && noise >= 0.0, "observation", "noise variance", noise,
          "zero or more and finite");
  const double s = latent_variance > 0.0 ? latent_variance : 0.0;
  const double floor = 1e-10 * prior_variance;  // math.md 2.7
  const bool jittered = noise == 0.0 && s < floor;
  if (jittered) noise = floor;
  return {s + noise, noise, jittered};
}

}  // namespace acuity
