#include "views/reported_cost_json.hpp"

#include <cmath>

namespace acuity {

Json reported_cost_json(const std::vector<ReportedCost>& found) {
  Json list = Json::array();
  for (const ReportedCost& one : found) {
    list.push_back({{"level", one.level},
                    {"declared", json_number(one.declared)},
                    {"reported", json_number(one.reported)},
                    {"count", one.count},
                    {"expected", one.used.by_inputs ? Json() : json_number(one.used.expected)},
                    {"reserved", one.used.by_inputs ? Json() : json_number(one.used.reserved)}});
    if (one.used.by_inputs)
      list.back()["log_cost"] = {{"slopes", json_numbers(one.used.by_inputs->slopes)},
                                 {"sd", json_number(std::sqrt(one.used.by_inputs->variance))}};
  }
  return list;
}

}  // namespace acuity
