#include "views/explanation_json.hpp"

#include "views/campaign_text.hpp"

namespace acuity {

namespace {

std::string object(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string text;
  for (const auto& [key, json] : fields) text += (text.empty() ? "" : ", ") + json_string(key) + ": " + json;
  return "{" + text + "}";
}

template <typename Items, typename ToJson>
std::string list(const Items& items, const ToJson& to_json_text) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + to_json_text(item);
  return "[" + text + "]";
}

std::string optional(const std::optional<double>& number) {
  return number ? exact_json(*number) : "null";
}

std::pair<std::string, std::string> level_field(const Level& level) {
  return {level.alpha ? "alpha" : "level", json_of(level_cell(level.name, level.alpha))};
}

}  // namespace

std::string explanation_json(const Explanation& e) {
  const Suggestion& s = e.chosen;
  const std::string levels = list(e.levels, [](const Explanation::LevelMerit& one) {
    return object({level_field(one.level),
                   {"information", exact_json(one.information)},
                   {"cost", exact_json(one.cost)},
                   {"information_per_cost", exact_json(one.per_cost())},
                   {"affordable", one.affordable ? "true" : "false"},
                   {"chosen", one.chosen ? "true" : "false"}});
  });
  const std::string counterfactuals = list(e.counterfactuals, [](const Explanation::Counterfactual& one) {
    return object({level_field(one.level),
                   {"chosen", one.chosen ? "true" : "false"},
                   {"price", optional(one.price)},
                   {"noise_sd", optional(one.noise_sd)},
                   {"accuracy", optional(one.accuracy)},
                   {"point", json_string(one.point)}});
  });
  const std::string nearest = list(e.nearest, [](const Explanation::Neighbour& one) {
    return object({{"id", std::to_string(one.id)},
                   {"point", json_string(one.point)},
                   {"level", json_string(one.level)},
                   {"y", exact_json(one.y)},
                   {"distance", exact_json(one.distance)}});
  });
  return object({{"id", std::to_string(s.id)},
                 {"point", json_string(s.point)},
                 level_field(s.level),
                 {"mean", exact_json(s.mean)},
                 {"variance", exact_json(s.variance)},
                 {"information", exact_json(s.information)},
                 {"unit", json_string(e.unit)},
                 {"cost", exact_json(s.cost)},
                 {"information_per_cost", exact_json(s.information_per_cost())},
                 {"drawn", e.is_drawn ? "true" : "false"},
                 {"levels_compete", e.levels_compete ? "true" : "false"},
                 {"remaining", exact_json(e.remaining)},
                 {"candidates", std::to_string(e.candidates)},
                 {"more_certain", exact_json(e.more_certain)},
                 {"median_sd", exact_json(e.median_sd)},
                 {"levels", levels},
                 {"counterfactuals", counterfactuals},
                 {"nearest", nearest},
                 {"pending", list(e.pending, [](std::int64_t id) { return std::to_string(id); })},
                 {"sd_after", exact_json(e.sd_after)},
                 {"pool_sd_before", exact_json(e.pool_sd_before)},
                 {"pool_sd_after", exact_json(e.pool_sd_after)}});
}

}  // namespace acuity
