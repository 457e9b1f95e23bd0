#include "views/reported_noise_json.hpp"

#include "text/level_text.hpp"

namespace acuity {

Json reported_noise_json(const std::vector<ReportedNoise>& found) {
  Json list = Json::array();
  for (const ReportedNoise& one : found)
    list.push_back({{"level", describe(one.level, one.alpha)},
                    {"declared", json_number(one.declared)},
                    {"reported", json_number(one.reported)},
                    {"used", json_number(one.used)},
                    {"count", one.count}});
  return list;
}

}  // namespace acuity
