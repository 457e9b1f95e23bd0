#include "selection/why_nothing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace acuity {

bool is_sold_out(const Offer& offer, const Acquisition& acquisition, const Candidates& candidates) {
  if (!candidates.top_ups().empty()) return false;
  const std::vector<Index> levels = levels_in_play(offer, acquisition, candidates);
  for (Index point = 0; point < offer.base_noise.size(); ++point)
    for (const Index level : levels)
      if (candidates.is_open(point, level)) return false;
  return !levels.empty();
}

std::string why_nothing(const Offer& offer, const Acquisition& acquisition, const Candidates& candidates) {
  if (!candidates.any_open() && !candidates.top_ups().empty())
    return fmt::format(
        "every pool point is annotated, pending or excluded, and to continue a run costs more than the "
        "{:.6g} "
        "that remain",
        std::max(0.0, candidates.remaining()));
  if (!candidates.any_open()) return "every pool point is annotated, pending or excluded";
  if (levels_in_play(offer, acquisition, candidates).empty())
    return fmt::format("no level is affordable, {:.6g} remains{}", std::max(0.0, candidates.remaining()),
                       acquisition.finest_only() ? " and only the highest precision is asked for" : "");
  if (offer.has_point_costs())
    return fmt::format("everything that is open costs more than the {:.6g} that remain",
                       std::max(0.0, candidates.remaining()));
  return "every level that can be paid for is excluded, or would only repeat its answer";
}

}  // namespace acuity
