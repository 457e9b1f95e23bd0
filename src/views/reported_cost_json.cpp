#include "views/reported_cost_json.hpp"

namespace acuity {

Json reported_cost_json(const std::vector<ReportedCost>& found) {
  Json list = Json::array();
  for (const ReportedCost& one : found)
    list.push_back({{"level", one.level},
                    {"declared", json_number(one.declared)},
                    {"reported", json_number(one.reported)},
                    {"count", one.count},
                    {"expected", json_number(one.used.expected)},
                    {"reserved", json_number(one.used.reserved)}});
  return list;
}

}  // namespace acuity
