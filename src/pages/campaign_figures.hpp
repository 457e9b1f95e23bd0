#pragma once

#include <string>

#include "views/campaign_data.hpp"

namespace acuity {

/// A picture of a campaign, or a sentence if there is nothing to draw.
struct CampaignFigure {
  std::string name;  ///< of a file and an anchor
  std::string heading;
  std::string svg;  ///< empty: there is nothing to draw
  std::string caption;
  std::string absent;  ///< why there is nothing to draw
};

CampaignFigure learning_figure(const CampaignData& data);
/// Money and precision over time.
CampaignFigure money_figure(const CampaignData& data);
CampaignFigure hyperparameters_figure(const CampaignData& data);
CampaignFigure belief_figure(const CampaignData& data);
CampaignFigure calibration_figure(const CampaignData& data);
/// Only if a level has a bias.
CampaignFigure bias_figure(const CampaignData& data);
CampaignFigure break_even_figure(const CampaignData& data);

/// All of them, in the order of the page.
std::vector<CampaignFigure> campaign_figures(const CampaignData& data);

}  // namespace acuity
