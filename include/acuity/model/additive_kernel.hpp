#pragma once

#include <memory>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/model/kernel.hpp"

namespace acuity ACUITY_PUBLIC {

/// A sum of functions of one numeric input each, and a function of all of them (docs/math.md eq. (11.12)):
/// the mean of one-dimensional kernels has a share of the variance, and the stationary kernel the rest. Both
/// have its amplitude and its factors of categories; each has length scales of its own, as many.
///
/// Log parameters: those of the stationary kernel, the logarithms of the length scales of the functions of
/// one input, and that of the odds of the additive part.
class AdditiveKernel : public Kernel {
 public:
  /// With the same length scales in both parts.
  explicit AdditiveKernel(const StationaryKernel& full, double odds = 1.0);
  AdditiveKernel(StationaryKernel full, Vector single, double odds);

  Matrix cross(const PointsRef& a, const PointsRef& b) const override;
  Vector diagonal(const PointsRef& x) const override;
  Vector log_parameters() const override;
  std::shared_ptr<const Kernel> with_log_parameters(const Vector& log_parameters) const override;
  Vector weighted_gradient(const PointsRef& x, const Matrix& weights) const override;

  const StationaryKernel& full() const { return full_; }
  /// The length scales of the functions of one input; one for all, or one for each numeric input.
  const Vector& single() const { return single_; }
  double odds() const { return odds_; }
  /// The share of the variance that the additive part has.
  double share() const { return odds_ / (1.0 + odds_); }

 private:
  Matrix covariance(const Points& a, const Points& b, bool same) const;

  Vector inverse_single(const std::vector<Index>& numeric) const;

  StationaryKernel full_;
  Vector single_;
  double odds_;
};

/// The kernel itself if it is stationary, or that of the function of all inputs in a sum; otherwise null.
const StationaryKernel* stationary_part(const Kernel& kernel);

}  // namespace acuity ACUITY_PUBLIC
