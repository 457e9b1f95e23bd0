#pragma once

#include <string>

#include "acuity/campaign/campaign.hpp"
#include "service/http_message.hpp"
#include "text/json.hpp"

namespace acuity {

/// The questions of the HTTP API that need no model, answered with a reader of the log. One thread at a time.
class CampaignReader {
 public:
  explicit CampaignReader(const CampaignAddress& address, const CampaignOptions& options = {});

  std::string status();  ///< the JSON of `acuity status`
  Json study();          ///< what workers and pages must know about it
  Json pending();        ///< suggestions that are not answered yet
  Json annotations();    ///< the rows of `acuity export --annotations`
  /// JSON lines as `export --events`: at most `limit` events after that number.
  std::string events(std::int64_t after, std::int64_t limit);

  const Campaign& campaign() const { return campaign_; }
  /// As it is now.
  const Campaign& campaign_now();

 private:
  Campaign campaign_;
};

}  // namespace acuity
