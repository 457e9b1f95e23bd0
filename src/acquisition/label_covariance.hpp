#pragma once

namespace acuity {

/// The covariance of two clean labels, as 0 and 1, whose latent values are jointly normal (math.md eq.
/// (13.5)): Phi2(eta, other_eta; rho) - Phi(eta) Phi(other_eta), without cancellation. Absolute error below
/// 1e-15; relative error below 1e-11 if neither eta is beyond 9. |rho| at most 1.
double label_covariance(double eta, double other_eta, double rho);

}  // namespace acuity
