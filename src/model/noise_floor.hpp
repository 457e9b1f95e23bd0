#pragma once

#include <cmath>

#include "acuity/base/errors.hpp"

namespace acuity {

/// Noise below this share of the prior variance is lost beside the rounding of covariances: it is raised to
/// it, or the factor of a crowd of exact observations would fall apart (math.md 2.7).
constexpr double least_noise = 1e-12;

/// The square of a new diagonal entry of the factor, s + noise (math.md eq. (2.3)): positive whatever
/// rounding did to s.
struct Pivot {
  double squared;
  double noise;   ///< as used
  bool jittered;  ///< raising it mattered: the observation repeats what was known already
};

/// Throws std::invalid_argument if this cannot be the noise variance of an observation.
inline void require_valid_noise(double noise) {
  require(std::isfinite(noise) && noise >= 0.0, "observation", "noise variance", noise,
          "zero or more and finite");
}

inline Pivot pivot(double latent_variance, double noise, double prior_variance) {
  require_valid_noise(noise);
  const double s = latent_variance > 0.0 ? latent_variance : 0.0, least = least_noise * prior_variance;
  const bool jittered = noise < least && s < 1e3 * least;
  if (noise < least) noise = least;
  return {s + noise, noise, jittered};
}

}  // namespace acuity
