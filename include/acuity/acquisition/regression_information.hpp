#pragma once

#include "acuity/base/public.hpp"

namespace acuity ACUITY_PUBLIC {

// Mutual information in nats of one annotation in regression (docs/math.md 4.1). latent: posterior variance
// of f at the point; base: irreducible noise variance there; added: the noise variance that the level adds to
// it.

/// MI(answer; f). Highest precision (added = 0) is BALD.
double model_information(double latent, double base, double added);

/// MI(answer; f at its point) at a level whose systematic error has this variance and covariance with f
/// (docs/math.md eq. (12.10)); `noise` is all the noise.
double biased_information(double latent, double error_variance, double error_covariance, double noise);

/// MI(answer; Y) if the answer is a noisy copy of Y (graph b). Infinite if `added` is 0.
double target_information_b(double latent, double base, double added);

/// MI(answer; Y) if answer and Y are independent given f (graph c).
double target_information_c(double latent, double base, double added);

}  // namespace acuity ACUITY_PUBLIC
