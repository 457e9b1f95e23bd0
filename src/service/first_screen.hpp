#pragma once

#include <vector>

#include "text/json.hpp"
#include "views/campaign_data.hpp"
#include "views/three_verdicts.hpp"

namespace acuity {

/// What the page begins with, as `FirstScreen` of web/src/api.ts: the error, whether it may be trusted and
/// the money, each a number with a sentence for everybody; the next question and why; what happens first in a
/// campaign without answers. `verdicts`: three_verdicts() of the same data, which decide about good and bad.
/// `next`: null if it is being computed.
Json first_screen(const Campaign& campaign, const CampaignData& data,
                  const std::vector<CampaignVerdict>& verdicts, const NextExplanation* next);

}  // namespace acuity
