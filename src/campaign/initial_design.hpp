#pragma once

#include <vector>

#include "acuity/study/study.hpp"

namespace acuity {

/// What is annotated before anything is chosen by its information.
struct InitialDesign {
  std::int64_t count = 0;      ///< answers, those known before included
  Index level = 0;             ///< of the offer
  bool space_filling = false;  ///< else drawn by the seed

  /// Where it asks first, in this order; empty: drawn by the seed.
  std::vector<Index> rows(const Study& study) const;

  double cost(const Study& study) const {
    return static_cast<double>(count) * study.offer().levels[static_cast<std::size_t>(level)].cost;
  }
};

InitialDesign initial_design(const Study& study);

/// Rows that are far apart in standardised inputs: of many subsets drawn by the seed the one whose two
/// closest points are farthest apart. Single outliers of the pool are not preferred, as they would be by
/// taking the farthest point again and again.
std::vector<Index> space_filling_rows(const PointsRef& pool, Index count, std::uint64_t seed);

}  // namespace acuity
