#pragma once

#include <optional>
#include <string>

#include "acuity/model/learn.hpp"
#include "text/json.hpp"

namespace acuity {

/// A list of name and weight: of the structures that predictions are averaged over (docs/math.md 11.6).
inline Json structures_json(const std::optional<Learned>& learned) {
  Json list = Json::array();
  if (!learned || learned->structures.empty()) {
    list.push_back({{"name", "plain"}, {"weight", 1.0}});
    return list;
  }
  const Vector weights = weights_of(learned->structures);
  for (std::size_t k = 0; k < learned->structures.size(); ++k)
    list.push_back({{"name", std::string(name_of(learned->structures[k].structure))},
                    {"weight", json_number(weights(static_cast<Index>(k)))}});
  return list;
}

}  // namespace acuity
