#include "views/explained_json.hpp"

#include "acuity/numerics/errors.hpp"
#include "campaign/explanation.hpp"
#include "text/json.hpp"
#include "views/explanation_json.hpp"

namespace acuity {

std::string explained_json(const Explanation& explanation, const Study& study) {
  const Json object{{"text", to_text(explanation, study)},
                    {"explanation", Json::parse(explanation_json(explanation, study.pool().columns()))}};
  return json_text(object);
}

std::string explained_json(const Campaign& campaign, std::int64_t id, int threads) {
  return explained_json(explain(campaign, id, threads), campaign.study());
}

std::string explained_next_json(const Campaign& campaign, int threads) {
  const NextExplanation next = explain_next(campaign, threads);
  if (!next.explanation) throw InputError(next.result.reason);
  return explained_json(*next.explanation, campaign.study());
}

std::string explained_point_json(const Campaign& campaign, const std::string& point, int threads) {
  return explained_json(explain_point(campaign, point, threads), campaign.study());
}

}  // namespace acuity
