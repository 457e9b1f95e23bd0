#pragma once

#include <vector>

#include "acuity/study/study.hpp"

namespace acuity {

/// The points that are annotated before choices by information start.
struct InitialDesign {
  std::int64_t count = 0;      ///< number of answers, including those known before
  Index level = 0;             ///< index into the offer
  bool space_filling = false;  ///< false: drawn by the seed

  /// The rows in the order in which they are asked for; empty: drawn by the seed.
  std::vector<Index> rows(const Study& study) const;

  double cost(const Study& study) const {
    return static_cast<double>(count) * study.offer().levels[static_cast<std::size_t>(level)].cost;
  }
};

InitialDesign initial_design(const Study& study);

/// Rows that are far apart in standardised inputs: of many random subsets, the one with the largest distance
/// between its two closest points. Unlike repeatedly taking the farthest point, this does not prefer
/// outliers.
std::vector<Index> space_filling_rows(const PointsRef& pool, Index count, std::uint64_t seed);

}  // namespace acuity
