#pragma once

#include <optional>

#include "acuity/acquisition/acquisition.hpp"
#include "acuity/model/pool_belief.hpp"
#include "acuity/selection/candidates.hpp"

// Choices where something is sought and the worth of an answer for it does not decide (math.md 19.2).

namespace acuity {

/// Whether the best candidate is worth no more than nothing for what is sought.
bool is_negligible(const Score& best, PoolBelief& belief, const Offer& offer, const Acquisition& acquisition);

/// The candidate by which f becomes most accurate over the goal, per cost. Its information and value are
/// those for what is sought. Nothing if no candidate is left. The acquisition must be one that seeks
/// something.
std::optional<Score> choose_by_fallback(PoolBelief& belief, const Offer& offer,
                                        const Acquisition& acquisition, const Candidates& candidates,
                                        int threads = 0);

}  // namespace acuity
