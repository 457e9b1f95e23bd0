#include "views/explained_json.hpp"

#include "acuity/base/errors.hpp"
#include "campaign/campaign_internals.hpp"
#include "explain/explanation.hpp"
#include "explain/look_ahead.hpp"
#include "text/json.hpp"
#include "views/compared_points.hpp"
#include "views/explanation_json.hpp"

namespace acuity {

namespace {

// explain(campaign), of a copy with fewer points if the pool is too large.
template <typename Explain>
std::string among_enough_points(const Campaign& campaign, std::optional<Index> also, const Explain& explain) {
  const std::vector<Index> rows = points_to_compare(campaign, most_operations, also);
  if (rows.empty()) return explained_json(explain(campaign), campaign.study());
  const Campaign part = copy_among(campaign, rows);
  return explained_json(explain(part), part.study(), comparison_note(campaign, rows.size()));
}

}  // namespace

std::string explained_json(const Explanation& explanation, const Study& study, const std::string& note) {
  const Json object{{"text", to_text(explanation, study) + (note.empty() ? "" : "\n" + note + "\n")},
                    {"explanation", json_in(explanation_json(explanation, study))}};
  return json_text(object);
}

std::string explained_json(const Campaign& campaign, std::int64_t id, int threads) {
  return among_enough_points(campaign, std::nullopt,
                             [&](const Campaign& one) { return explain(one, id, threads); });
}

std::string explained_next_json(const Campaign& campaign, int threads) {
  return among_enough_points(campaign, std::nullopt, [&](const Campaign& one) {
    NextExplanation next = explain_next(one, threads);
    if (!next.explanation) throw InputError(next.result.reason);
    return *std::move(next.explanation);
  });
}

std::string explained_point_json(const Campaign& campaign, const std::string& point, int threads) {
  return among_enough_points(campaign, campaign.study().pool().find(point), [&](const Campaign& one) {
    LookAhead ahead = look_ahead(one, {.threads = threads});
    CampaignBelief& belief = CampaignInternals::belief(ahead.campaign);
    belief.hide_gold();
    return explain_point(ahead.campaign.study(), ahead.campaign.state(), belief, ahead.next, point);
  });
}

}  // namespace acuity
