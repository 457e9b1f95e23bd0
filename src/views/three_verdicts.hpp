#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/explanation.hpp"
#include "views/campaign_data.hpp"

namespace acuity {

/// One of the three answers with which the report and the page begin.
struct CampaignVerdict {
  enum class State { good, bad, unknown };

  std::string question;  ///< "Is it good enough?"
  std::string answer;    ///< one sentence, with its number
  std::string advice;    ///< what to do; may be empty
  State state = State::unknown;
  std::string details = {};  ///< what the answer rests on, for those who want to know; may be empty

  /// "good", "bad", "unknown"
  std::string state_name() const;
};

/// Is it good enough, may it be trusted, what next. `next` is that of explain_next(); absent: it is not known
/// yet, and the third answer says so. `note`: a sentence about how it was chosen, or empty.
std::vector<CampaignVerdict> three_verdicts(const Campaign& campaign, const CampaignData& data,
                                            const NextExplanation* next, const std::string& note = "");

}  // namespace acuity
