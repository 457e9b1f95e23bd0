#pragma once

namespace acuity {

// Mutual information in nats of one annotation in regression (docs/math.md 4.1). latent: posterior variance
// of f at the point; base: irreducible noise variance there; added: what the level puts on top of it.

/// MI(answer; f). Highest precision (added = 0) is BALD.
double model_information(double latent, double base, double added);

/// MI(answer; Y) where the answer is a noisy copy of Y (graph b). Infinite if nothing is added.
double target_information_b(double latent, double base, double added);

/// MI(answer; Y) where answer and Y are independent given f (graph c).
double target_information_c(double latent, double base, double added);

}  // namespace acuity
