#pragma once

#include <string>
#include <vector>

#include "pages/campaign_figures.hpp"
#include "views/campaign_data.hpp"

namespace acuity {

struct CampaignPageFacts {
  std::string version;
  std::string command;  ///< that makes it again
};

/// One HTML file about a campaign that needs nothing else: no network, no script, figures inside.
std::string campaign_page(const CampaignData& data, const CampaignPageFacts& facts);

}  // namespace acuity
