#pragma once

#include <cstddef>
#include <vector>

namespace acuity {

/// The covariance of two clean labels, as 0 and 1, whose latent values are jointly normal (math.md eq.
/// (13.5)): Phi2(eta, other_eta; rho) - Phi(eta) Phi(other_eta), without cancellation. Absolute error below
/// 1e-15; relative error below 1e-11 if neither eta is beyond 9. |rho| at most 1.
double label_covariance(double eta, double other_eta, double rho);

/// The same for many other labels at a time, as accurate: small correlations by a power series whose
/// coefficients are products of one factor per label (math.md eq. (13.5a)).
class LabelCovariances {
 public:
  explicit LabelCovariances(std::vector<double> other_etas);

  std::size_t size() const { return etas_.size(); }
  /// Replaces the correlations of one latent value with the others by the covariances of their labels.
  void replace(double eta, double* correlations) const;

 private:
  static constexpr std::size_t lanes = 8;

  std::vector<double> etas_;
  std::vector<double> factors_;  // for `lanes` labels at a time, all terms
};

}  // namespace acuity
