#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "acuity/data/observation.hpp"
#include "acuity/model/kernel.hpp"
#include "acuity/model/prior.hpp"

namespace acuity {

/// A sum of some of: f, the offset of a level, its smooth difference. `bias` is the number of the level's
/// bias, from 1 on; 0 if neither of the last two is in it.
struct Quantity {
  bool f = true;
  int bias = 0;
  bool offset = false, smooth = false;

  static Quantity answer(int bias) { return {true, bias, bias > 0, bias > 0}; }
  static Quantity error(int bias) { return {false, bias, true, true}; }

  /// As a coordinate of a point.
  double code() const { return 8.0 * bias + (f ? 1 : 0) + (offset ? 2 : 0) + (smooth ? 4 : 0); }
  static Quantity of(double code);

  friend bool operator==(const Quantity&, const Quantity&) = default;
};

/// The prior covariance of quantities at points (math.md eq. (12.2)): the last coordinate of a point says
/// which quantity it stands for. With it, all that is computed from a kernel holds for levels with bias.
///
/// Log parameters: those of the kernel of f, then log smooth_sd and log lengthscale of every bias that is
/// learned; errors of meshes have these once, for a mesh of size 1, and the logarithm of their order.
class AnswerKernel final : public Kernel {
 public:
  /// Throws std::invalid_argument if a smooth difference is wanted and the kernel is not stationary.
  AnswerKernel(std::shared_ptr<const Kernel> latent, std::vector<LevelBias> biases);

  Matrix cross(const PointsRef& a, const PointsRef& b) const override;
  Vector diagonal(const PointsRef& x) const override;
  Vector log_parameters() const override;
  std::shared_ptr<const Kernel> with_log_parameters(const Vector& log_parameters) const override;
  Vector weighted_gradient(const PointsRef& x, const Matrix& weights) const override;

  /// Derivatives like those of weighted_gradient, by log offset_sd, log smooth_sd and log lengthscale of
  /// every bias: one column each. Throws std::invalid_argument if there are errors of meshes.
  Matrix weighted_bias_gradient(const PointsRef& x, const Matrix& weights) const;

  const std::shared_ptr<const Kernel>& latent() const { return latent_; }
  const std::vector<LevelBias>& biases() const { return biases_; }

 private:
  struct BiasSlopes {
    double offset = 0.0, smooth = 0.0;  // by the logarithms of their standard deviations
    double lengthscale = 0.0;           // by the logarithm of the factor, which categories do not have
    Vector parameters;                  // of f besides its amplitude, by way of the smooth difference
  };
  BiasSlopes slopes(std::size_t bias, const PointsRef& x, const Matrix& weights) const;
  BiasSlopes mesh_slopes(const PointsRef& x, const Matrix& weights, double& order) const;
  // The biases whose errors are multiples of one function, beginning with that of index `first`.
  std::vector<int> sharing(std::size_t first) const;
  // The covariance of two errors at places whose smooth parts have this correlation.
  double error_covariance(const Quantity& a, const Quantity& b, double correlation) const;

  std::shared_ptr<const Kernel> latent_;
  std::vector<LevelBias> biases_;
  std::vector<std::shared_ptr<const StationaryKernel>> correlations_;  // null without a smooth difference
  std::optional<std::size_t> mesh_;                                    // the first bias of a mesh
};

/// The biases of a kernel that is an AnswerKernel; none otherwise.
const std::vector<LevelBias>& biases_of(const Kernel& kernel);

/// The prior of quantities at points; the prior itself if it has no biases.
Prior answer_prior(const Prior& prior);
/// The points with the quantity as one more coordinate.
Points with_quantity(const PointsRef& points, const Quantity& quantity);
/// The observations as those of quantities under answer_prior(): channels have no bias any more.
Observations answer_observations(const Observations& observations);

}  // namespace acuity
