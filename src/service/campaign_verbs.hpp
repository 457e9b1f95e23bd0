#pragma once

#include <string>

#include "acuity/campaign/campaign.hpp"
#include "service/access.hpp"
#include "text/json.hpp"

namespace acuity {

/// The verbs of the HTTP API that change a campaign: a JSON text in, JSON out. They throw HttpProblem: 400
/// for a request that is not valid, 403 for a suggestion of somebody else, 404 for one that does not exist,
/// 409 for one that contradicts what is recorded. One thread at a time.
class CampaignVerbs {
 public:
  /// `lease`: seconds, if a request names none.
  CampaignVerbs(Campaign& campaign, double lease);

  /// A worker that asks again gets what it has not answered yet.
  Json ask(const std::string& body, const Caller& caller);
  Json tell(const std::string& body, const Caller& caller);
  Json fail(const std::string& body, const Caller& caller);
  Json release(const std::string& body, const Caller& caller);
  Json amend(const std::string& body, const Caller& caller);
  Json heartbeat(const std::string& body, const Caller& caller);

 private:
  const SuggestionRecord& record_of(std::int64_t id, const Caller& caller) const;

  Campaign& campaign_;
  const double lease_;
};

/// Suggestions as the JSON of `ask` has them.
Json suggestions_json(const Campaign& campaign, const std::vector<Suggestion>& suggestions);

/// Seconds after which it makes sense to ask again, if nothing can be had now: when the first lease ends, at
/// most half a minute.
double retry_after(const Campaign& campaign);

/// Why an ask has no suggestion, in words that the caller may read.
std::string reason_for(const Caller& caller, const AskResult& result);

}  // namespace acuity
