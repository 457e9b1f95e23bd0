#pragma once

#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"
#include "text/json.hpp"

// What people who only look, or label, may see of a campaign with gold items: a question about one looks like
// every other question, and its answer like every other answer. Programs and owners see the texts as they
// are.

namespace acuity {

/// The JSON of /v1/view, with answers to gold items among the others and without counts of right ones.
std::string view_for_watchers(const Campaign& campaign, const std::string& view);
/// Whether there are answers to gold items.
bool has_gold_answers(const Campaign& campaign);
/// Answers as rows of /v1/view, with those to gold items among them in the order of recording.
std::vector<Json> with_gold_answers(const Campaign& campaign, std::vector<Json> rows);
/// The JSON of /v1/status, which counts answers to gold items.
std::string status_for_watchers(const Campaign& campaign, const std::string& status);
/// The text of a study without what it says about gold items; empty if that cannot be taken out.
std::string study_for_watchers(const std::string& text);

}  // namespace acuity
