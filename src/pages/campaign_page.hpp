#pragma once

#include <string>
#include <vector>

#include "pages/campaign_figures.hpp"
#include "views/campaign_data.hpp"
#include "views/three_verdicts.hpp"

namespace acuity {

struct CampaignPageFacts {
  std::string version;
  std::string command;                         ///< that makes the page
  std::vector<CampaignVerdict> verdicts = {};  ///< three_verdicts(), with which the page begins; may be empty
};

/// One HTML file about a campaign that needs no network and no script. `figures` are campaign_figures(data),
/// which a caller may also write to files.
std::string campaign_page(const CampaignData& data, const std::vector<CampaignFigure>& figures,
                          const CampaignPageFacts& facts);

}  // namespace acuity
