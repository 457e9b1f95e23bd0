#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "text/json.hpp"
#include "views/campaign_data.hpp"
#include "views/three_verdicts.hpp"

namespace acuity {

/// What the JSON of a view has besides the data of the campaign.
struct ViewFacts {
  /// A picture of the report, by name (pages/campaign_figures.hpp).
  struct Figure {
    std::string name, heading, caption;
    std::string absent;  ///< why there is none
  };

  double computed_at = 0.0;  ///< seconds since 1970
  double computed_seconds = 0.0;
  /// The events that these were computed from; absent: they are being computed.
  std::optional<std::int64_t> slices_sequence, pool_sequence, model_sequence;
  std::vector<CampaignVerdict> verdicts;
  Json first_screen = Json();  ///< `FirstScreen` of web/src/api.ts
  std::vector<Figure> figures;
  Json people = Json::array();  ///< a list of `Person` of web/src/api.ts
  /// The folder with the attempts of annotators (runs_folder()), whose output is shown for failures; empty:
  /// it is not known.
  std::filesystem::path runs = {};
};

/// Answer `k` of the data as type `Answer` of web/src/api.ts.
Json answer_json(const CampaignData& data, std::size_t k, const std::string& worker);

/// The answer to GET /v1/view: type `View` of web/src/api.ts, on one line. Parts that `data` does not have
/// yet (quick_campaign_data()) are empty or null.
std::string view_json(const Campaign& campaign, const CampaignData& data, const ViewFacts& facts);

}  // namespace acuity
