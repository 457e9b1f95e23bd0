#pragma once

#include <optional>
#include <string>

#include "campaign/campaign_belief.hpp"

namespace acuity {

/// Whom to ask instead of somebody.
struct BetterPerson {
  std::string name, level;
  double times = 0.0;  ///< what the best answer of this person is worth per cost, over that of the other one
};

/// Somebody else who takes part, or has answered, and whose best answer is worth so much more per cost than
/// `best`, that of `worker`, that the study does not ask `worker` (PeopleSetting::least_worth). Nothing if
/// `worker` is no person, or nobody else can be asked anything that good. `open`: what everybody may be
/// asked.
std::optional<BetterPerson> better_person(const Study& study, const State& state, CampaignBelief& belief,
                                          const Candidates& open, const Score& best,
                                          const std::string& worker);

/// "nothing for carl now: an answer of anna at crowd tells 120 times as much for its cost; ask anna instead".
std::string ask_instead_text(const std::string& worker, const BetterPerson& better);

}  // namespace acuity
