#include "model/low_rank_features.hpp"

namespace acuity {

std::optional<Matrix> low_rank_features(const std::shared_ptr<const Kernel>& kernel, const Points& points,
                                        Index most) {
  const auto factor = LowRankCovariances::make(kernel, points, low_rank_tolerance, most);
  if (!factor) return std::nullopt;
  Matrix features(factor->rank(), points.rows());
  for (Index j = 0; j < points.rows(); ++j) features.col(j) = factor->pool_column(j);
  return features;
}

}  // namespace acuity
