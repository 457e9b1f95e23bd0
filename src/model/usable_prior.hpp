#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "acuity/model/additive_kernel.hpp"
#include "acuity/model/prior.hpp"

namespace acuity {

/// A kernel of a user's own may give matrices of any shape, which would be written beyond their end: it is
/// tried with two and three of the points. `whom` begins the message.
inline void require_shapes(const Kernel& kernel, const Points& points, const std::string& whom) {
  if (points.rows() == 0) return;
  const auto some = [&](Index count) {
    Points rows(count, points.cols());
    for (Index i = 0; i < count; ++i) rows.row(i) = points.row(std::min(i, points.rows() - 1));
    return rows;
  };
  const Matrix covariance = kernel.cross(some(2), some(3));
  if (covariance.rows() != 2 || covariance.cols() != 3)
    throw std::invalid_argument(whom + ": the kernel's cross() of 2 and 3 points is " +
                                std::to_string(covariance.rows()) + " x " +
                                std::to_string(covariance.cols()) + ", must be 2 x 3");
  if (const Index size = kernel.diagonal(some(3)).size(); size != 3)
    throw std::invalid_argument(whom + ": the kernel's diagonal() of 3 points has " + std::to_string(size) +
                                " variances, must have 3");
}

/// The prior, if one can compute with it at these points; else throws std::invalid_argument.
inline Prior usable(Prior prior, const PointsRef& points, const std::string& whom) {
  if (prior.chain) return prior;  // its kernels are acuity's
  if (!prior.kernel) throw std::invalid_argument(whom + ": the prior has no kernel (null), must have one");
  const Kernel* kernel = prior.kernel.get();
  const bool own = dynamic_cast<const StationaryKernel*>(kernel) != nullptr ||
                   dynamic_cast<const AdditiveKernel*>(kernel) != nullptr;
  if (!own)
    require_shapes(*kernel, prior.scaling.apply(points.topRows(std::min<Index>(points.rows(), 3))), whom);
  return prior;
}

}  // namespace acuity
