#pragma once

#include <set>
#include <utility>
#include <vector>

#include "acuity/study/study.hpp"

namespace acuity {

/// The points that are annotated before choices by information start.
struct InitialDesign {
  /// A number of answers at one level, an index into the offer.
  struct Part {
    std::int64_t count = 0;
    Index level = 0;
  };
  /// A pool row at a level.
  using Pair = std::pair<Index, Index>;

  std::vector<Part> parts;         ///< from the cheapest level on
  std::vector<Part> retired = {};  ///< at levels that are no longer for sale: nothing of these is asked for
  bool space_filling = false;      ///< false: drawn by the seed
  bool nested = false;             ///< the points of a part are among those of the part before it
  /// The share of the budget that it may cost at most by what answers have cost, if that depends on the
  /// inputs; it shrinks to that. 0: it is as the study says.
  double largest_share = 0.0;

  std::int64_t count() const;  ///< of answers, including those known before
  /// The same with the levels that were retired since.
  std::int64_t count_at_first() const;
  double cost(const Study& study) const;
  /// What is asked for, in this order; empty: rows are drawn by the seed.
  std::vector<Pair> pairs(const Study& study) const;
  /// The same if answers have shown that costs differ between points: of points that are about as far apart,
  /// a nested part those of the part before, every part has the cheapest, and if the design has become dearer
  /// than its share of the budget, the dearest are left out, or asked at the cheapest level if the design has
  /// only one. `taken`: pairs with an answer or pending;
  /// `money`: what the others may cost.
  std::vector<Pair> pairs(const Study& study, const Offer& offer, const std::set<Pair>& taken,
                          double money) const;
};

InitialDesign initial_design(const Study& study);

/// Rows that are far apart in standardised inputs: of many random subsets, the one with the largest distance
/// between its two closest points. Unlike repeatedly taking the farthest point, this does not prefer
/// outliers.
std::vector<Index> space_filling_rows(const PointsRef& pool, const Vector& scale, Index count,
                                      std::uint64_t seed, const std::vector<InputTransform>& transforms = {});

}  // namespace acuity
