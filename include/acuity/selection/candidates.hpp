#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "acuity/acquisition/acquisition.hpp"

namespace acuity {

/// What may be bought now.
struct Candidates {
  std::vector<char> open;                  ///< per pool point; empty: every point
  std::set<std::pair<Index, Index>> sold;  ///< (point, level) that would only repeat its answer
  double remaining = std::numeric_limits<double>::infinity();  ///< money left
  double slack = 0.0;      ///< absorbs the rounding of summed costs: 1e-9 of the budget
  std::uint64_t step = 0;  ///< number of annotations so far: every step has random draws of its own

  bool is_open(Index point) const { return open.empty() || open[static_cast<std::size_t>(point)] != 0; }
  bool affordable(double cost) const { return cost <= remaining + slack; }
};

/// The levels that compete: all that can be paid for, or only one if the acquisition allows no other.
std::vector<Index> levels_in_play(const Offer& offer, const Acquisition& acquisition,
                                  const Candidates& candidates);

}  // namespace acuity
