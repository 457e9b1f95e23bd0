#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "text/json.hpp"
#include "views/campaign_data.hpp"

namespace acuity {

/// Every answer of a campaign, for tables that are loaded in steps: GET /v1/answers. It does not change, does
/// not refer to the campaign afterwards, and several threads may use it at once.
class AnswerList {
 public:
  AnswerList(const Campaign& campaign, std::shared_ptr<const CampaignData> data);

  /// `{"sequence", "total", "from", "rows"}`, rows as `Answer` of web/src/api.ts: the newest first, from the
  /// row `from` on, at most `limit`. `hides_gold`: with answers to gold items among the others.
  std::string json(std::int64_t from, std::int64_t limit, bool hides_gold) const;

 private:
  Json row(std::size_t newest, bool hides_gold) const;

  std::int64_t sequence_;
  std::shared_ptr<const CampaignData> data_;
  std::vector<std::string> workers_;  // of the answers of data_
  std::vector<Json> for_watchers_;    // in a study with answers to gold items: all answers
};

}  // namespace acuity
