#pragma once

#include <memory>
#include <optional>

#include "acuity/model/kernel.hpp"
#include "model/low_rank_covariances.hpp"

namespace acuity {

/// F with at most `most` rows, a column per point, such that the points' covariances are F'F but for
/// low_rank_tolerance (math.md 6.3); nothing if more rows are needed. `points` are scaled already.
std::optional<Matrix> low_rank_features(const std::shared_ptr<const Kernel>& kernel, const Points& points,
                                        Index most);

}  // namespace acuity
