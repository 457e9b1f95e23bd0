#pragma once

#include <optional>
#include <string>
#include <vector>

#include "acuity/campaign/campaign.hpp"

namespace acuity {

/// The belief about a pool of M points takes n^2 M operations for n answers. Beyond this only some points are
/// compared on the page.
inline constexpr double most_operations = 1e11;

/// The rows of the pool to compare if all of them would take more operations: as many as these allow but at
/// least 4096, evenly spaced, all that were asked about, and `also`. Empty: all points.
std::vector<Index> points_to_compare(const Campaign& campaign, double operations = most_operations,
                                     std::optional<Index> also = std::nullopt);

/// Says that `some` of the points of the campaign's pool were compared.
std::string comparison_note(const Campaign& campaign, std::size_t some);

}  // namespace acuity
