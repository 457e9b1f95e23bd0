#pragma once

#include <string>

#include "acuity/campaign/campaign.hpp"
#include "explain/explanation.hpp"

namespace acuity {

/// The answers to GET /v1/explain/...: type `Explained` of web/src/api.ts, the text and the JSON of
/// `acuity explain`. They throw InputError if there is no such suggestion, point or choice, with the reason.
/// Of a pool that is too large for the number of answers a sample is compared, and the text ends with a note.
std::string explained_json(const Campaign& campaign, std::int64_t id, int threads = 0);
std::string explained_next_json(const Campaign& campaign, int threads = 0);
std::string explained_json(const Explanation& explanation, const Study& study, const std::string& note = "");
/// Of any pool point, by its id: why it is, or is not, the next choice.
std::string explained_point_json(const Campaign& campaign, const std::string& point, int threads = 0);

}  // namespace acuity
