#include "model/low_rank_features.hpp"

#include "model/low_rank_covariances.hpp"

namespace acuity {

std::optional<Matrix> low_rank_features(const std::shared_ptr<const Kernel>& kernel, const Points& points,
                                        Index most) {
  const auto factor = LowRankCovariances::make(kernel, points, low_rank_tolerance, most);
  if (!factor) return std::nullopt;
  constexpr Index width = LowRankCovariances::width;
  Matrix features(factor->rank(), points.rows());
  for (Index j = 0; j < points.rows(); ++j)
    features.col(j) = Eigen::Map<const Vector, 0, Eigen::InnerStride<width>>(
        factor->tile(j / width) + j % width, factor->rank());
  return features;
}

}  // namespace acuity
