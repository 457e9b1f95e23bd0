#include "acuity/model/kernel.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "acuity/numerics/errors.hpp"
#include "model/kernel_profile.hpp"
#include "numerics/dispatch.hpp"

namespace acuity {

numerics::Profile profile_of(KernelFamily family) {
  switch (family) {
    case KernelFamily::rbf:
      return numerics::Profile::rbf;
    case KernelFamily::matern32:
      return numerics::Profile::matern32;
    case KernelFamily::matern52:
      return numerics::Profile::matern52;
  }
  throw std::invalid_argument("StationaryKernel: unknown family");
}

StationaryKernel::StationaryKernel(StationaryKernelOptions options) : options_(std::move(options)) {
  const double variance = options_.amplitude * options_.amplitude;
  require(options_.amplitude > 0.0 && std::isnormal(variance), "StationaryKernel", "amplitude",
          options_.amplitude, "positive, with a square that is a finite number above 0");
  require(options_.lengthscale.size() > 0, "StationaryKernel", "number of length scales", 0.0, "at least 1");
  for (const double l : options_.lengthscale)
    require(std::isfinite(l) && l > 0.0, "StationaryKernel", "lengthscale", l, "positive and finite");
}

Vector StationaryKernel::inverse_lengthscales(Index inputs) const {
  const Vector& l = options_.lengthscale;
  if (l.size() != 1 && l.size() != inputs)
    throw std::invalid_argument("StationaryKernel: " + std::to_string(l.size()) + " length scales for " +
                                std::to_string(inputs) + " inputs, must be 1 or as many");
  return (l.size() == 1 ? Vector::Constant(inputs, l(0)) : l).cwiseInverse();
}

Matrix StationaryKernel::cross(const PointsRef& a, const PointsRef& b) const {
  const Points left = a;  // contiguous, whatever the caller's strides
  const Vector inverse = inverse_lengthscales(left.cols());
  const numerics::Profile profile = profile_of(options_.family);
  const double variance = options_.amplitude * options_.amplitude;
  Matrix k(a.rows(), b.rows());
  if (a.data() == b.data() && a.rows() == b.rows() && a.outerStride() == b.outerStride()) {
    numerics::kernels().self_covariance(profile, variance, left.data(), left.rows(), left.cols(),
                                        inverse.data(), k.data());
    return k;
  }
  const Points right = b;
  numerics::kernels().covariance(profile, variance, left.data(), left.rows(), right.data(), right.rows(),
                                 left.cols(), inverse.data(), k.data());
  return k;
}

Vector StationaryKernel::diagonal(const PointsRef& x) const {
  return Vector::Constant(x.rows(), options_.amplitude * options_.amplitude);
}

Vector StationaryKernel::log_parameters() const {
  Vector log_parameters(1 + options_.lengthscale.size());
  log_parameters << std::log(options_.amplitude), options_.lengthscale.array().log().matrix();
  return log_parameters;
}

std::shared_ptr<const Kernel> StationaryKernel::with_log_parameters(const Vector& log_parameters) const {
  return std::make_shared<StationaryKernel>(
      StationaryKernelOptions{.family = options_.family,
                              .amplitude = std::exp(log_parameters(0)),
                              .lengthscale = log_parameters.tail(options_.lengthscale.size()).array().exp()});
}

// math.md 2.2: a shared length scale sums over the inputs.
Vector StationaryKernel::weighted_gradient(const PointsRef& x, const Matrix& weights) const {
  const Points points = x;
  Vector gradient(1 + points.cols());
  numerics::kernels().weighted_gradient(
      profile_of(options_.family), options_.amplitude * options_.amplitude, points.data(), points.rows(),
      points.cols(), inverse_lengthscales(points.cols()).data(), weights.data(), gradient.data());
  if (options_.lengthscale.size() != 1) return gradient;
  return Vector{{gradient(0), gradient.tail(points.cols()).sum()}};
}

}  // namespace acuity
