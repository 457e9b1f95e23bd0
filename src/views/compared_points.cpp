#include "views/compared_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace acuity {

std::vector<Index> points_to_compare(const Campaign& campaign, double operations, std::optional<Index> also) {
  constexpr double fewest = 4096.0;
  const auto answers = static_cast<double>(campaign.state().annotations());
  const Index pool = campaign.study().pool().size();
  const double wanted = std::max(fewest, operations / (answers * answers));
  std::set<Index> rows;
  for (const SuggestionRecord& record : campaign.state().suggestions())
    for (const Index row : {record.asked.row, record.row()})
      if (row >= 0) rows.insert(row);
  if (wanted + static_cast<double>(rows.size()) >= static_cast<double>(pool)) return {};
  const auto count = static_cast<Index>(wanted);
  for (Index k = 0; k < count; ++k) rows.insert(k * pool / count);
  if (also) rows.insert(*also);
  return {rows.begin(), rows.end()};
}

std::string comparison_note(const Campaign& campaign, std::size_t some) {
  return fmt::format(
      "{} of the {} points of the pool were compared, evenly spaced and those asked about before, because "
      "all would take too long; ask compares all.",
      some, campaign.study().pool().size());
}

}  // namespace acuity
