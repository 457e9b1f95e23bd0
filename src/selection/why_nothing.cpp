#include "selection/why_nothing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace acuity {

std::string why_nothing(const Offer& offer, const Acquisition& acquisition, const Candidates& candidates) {
  if (std::none_of(candidates.open.begin(), candidates.open.end(), [](char open) { return open != 0; }))
    return "every pool point is annotated, pending or excluded";
  if (levels_in_play(offer, acquisition, candidates).empty())
    return fmt::format("no level is affordable, {:.6g} remains{}", std::max(0.0, candidates.remaining),
                       acquisition.finest_only() ? " and only the highest precision is asked for" : "");
  return "every level that can be paid for is excluded, or would only repeat its answer";
}

}  // namespace acuity
