#pragma once

#include <string>

#include "views/campaign_data.hpp"

namespace acuity {

/// The prediction over two inputs beside its standard deviation, in steps of colour that differ by
/// their lightness alone, with the answers as dots that are larger the more precise they are.
std::string belief_map_svg(const CampaignData& data);

/// The radius of an answer's dot: larger the less noise it has beside the others.
double precision_radius(const CampaignData& data, const ReportedAnswer& answer);

}  // namespace acuity
