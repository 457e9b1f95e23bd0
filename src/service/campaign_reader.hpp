#pragma once

#include <set>
#include <string>

#include "acuity/campaign/campaign.hpp"
#include "service/http_message.hpp"
#include "text/json.hpp"

namespace acuity {

/// The questions of the HTTP API that need no model, answered with a reader of the log. One thread at a time.
class CampaignReader {
 public:
  explicit CampaignReader(const CampaignAddress& address, const CampaignOptions& options = {});

  // With `hides_gold` nothing in them tells which questions are about gold items (watchers_view.hpp).
  std::string status(bool hides_gold);  ///< the JSON of `acuity status`
  Json study(bool hides_gold);          ///< what workers and pages must know about it
  Json pending(bool hides_gold);        ///< suggestions that are not answered yet
  Json annotations(bool hides_gold);    ///< the rows of `acuity export --annotations`
  /// JSON lines as `export --events`: at most `limit` events after that number, of these kinds; none: of all.
  std::string events(std::int64_t after, std::int64_t limit, bool hides_gold,
                     const std::set<std::string>& kinds = {});

  const Campaign& campaign() const { return campaign_; }
  /// As it is now.
  const Campaign& campaign_now();

 private:
  Campaign campaign_;
};

}  // namespace acuity
