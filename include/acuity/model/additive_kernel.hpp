#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "acuity/base/public.hpp"
#include "acuity/model/kernel.hpp"

namespace acuity ACUITY_PUBLIC {

/// A sum of functions of one numeric input each, and a function of all of them (docs/math.md eq. (11.12));
/// on request also of functions of every pair of numeric inputs (11.16). The mean of one-dimensional kernels
/// has a share of the variance, the mean of their products has one, and the stationary kernel the rest. All
/// have its amplitude and its factors of categories; functions of one input and of pairs share length scales
/// of their own, as many as the stationary kernel has.
///
/// Log parameters: those of the stationary kernel, the logarithms of the length scales of the functions of
/// one input, and those of the odds of the additive part and, if there are pairs, of these.
class AdditiveKernel : public Kernel {
 public:
  /// With the same length scales in both parts.
  explicit AdditiveKernel(const StationaryKernel& full, double odds = 1.0);
  AdditiveKernel(StationaryKernel full, Vector single, double odds,
                 std::optional<double> pair_odds = std::nullopt);
  /// With pairs, the same length scales in all parts, and a third of the variance in each.
  static AdditiveKernel with_pairs(const StationaryKernel& full);

  Matrix cross(const PointsRef& a, const PointsRef& b) const override;
  Vector diagonal(const PointsRef& x) const override;
  Vector log_parameters() const override;
  std::shared_ptr<const Kernel> with_log_parameters(const Vector& log_parameters) const override;
  Vector weighted_gradient(const PointsRef& x, const Matrix& weights) const override;

  const StationaryKernel& full() const { return full_; }
  /// The length scales of the functions of one input; one for all, or one for each numeric input.
  const Vector& single() const { return single_; }
  double odds() const { return odds_; }
  bool has_pairs() const { return pair_odds_.has_value(); }
  /// The share of the variance that the additive part has.
  double share() const { return odds_ / (1.0 + odds_ + pair_odds_.value_or(0.0)); }
  /// The share of the functions of two inputs.
  double pair_share() const { return pair_odds_.value_or(0.0) / (1.0 + odds_ + pair_odds_.value_or(0.0)); }

 private:
  struct Sums;    // of the kernels of one input each
  struct Slopes;  // of the parts
  Matrix covariance(const Points& a, const Points& b, bool same) const;
  Matrix single_covariance(const Points& a, const Points& b, bool same, Index input, double lengthscale,
                           double variance) const;
  Sums sums(const Points& a, const Points& b, bool same) const;
  void scale_by_categories(const Points& a, const Points& b, Matrix& k) const;
  double full_share() const { return 1.0 - share() - pair_share(); }
  double single_lengthscale(std::size_t input) const {
    return single_(single_.size() == 1 ? 0 : static_cast<Index>(input));
  }
  void add_category_slopes(const Points& points, const Matrix& weights, Vector& gradient) const;
  Slopes slopes(const Points& points, const Matrix& weights) const;
  Slopes slopes_with_pairs(const Points& points, const Matrix& weights) const;

  StationaryKernel full_;
  Vector single_;
  double odds_;
  std::optional<double> pair_odds_;
};

/// The kernel itself if it is stationary, or that of the function of all inputs in a sum; otherwise null.
const StationaryKernel* stationary_part(const Kernel& kernel);

}  // namespace acuity ACUITY_PUBLIC
