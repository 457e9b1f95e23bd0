#pragma once

#include <vector>

#include "acuity/data/input.hpp"
#include "acuity/data/points.hpp"

namespace acuity {

/// These rows of a pool in at most `most` cells of nearly equal size that lie close together (docs/math.md
/// 13.4): a cell is halved at the median of the input in which its points differ most, relative to all rows,
/// and cells of points that are all the same are not divided. Rows of a cell are ascending.
std::vector<std::vector<Index>> cells_of(const PointsRef& points, const std::vector<InputTransform>& inputs,
                                         const std::vector<Index>& rows, Index most);

}  // namespace acuity
