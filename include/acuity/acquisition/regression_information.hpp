#pragma once

namespace acuity {

// Mutual information in nats of one annotation in regression (docs/math.md 4.1). latent: posterior variance
// of f at the point; base: irreducible noise variance there; added: the noise variance that the level adds to
// it.

/// MI(answer; f). Highest precision (added = 0) is BALD.
double model_information(double latent, double base, double added);

/// MI(answer; Y) if the answer is a noisy copy of Y (graph b). Infinite if `added` is 0.
double target_information_b(double latent, double base, double added);

/// MI(answer; Y) if answer and Y are independent given f (graph c).
double target_information_c(double latent, double base, double added);

}  // namespace acuity
