#include "views/explanation_json.hpp"

#include "text/json.hpp"
#include "text/result_table.hpp"
#include "views/reported_cost_json.hpp"
#include "views/reported_noise_json.hpp"

namespace acuity {

namespace {

Json level_object(const Level& level) {
  return level.alpha ? Json{{"alpha", json_number(*level.alpha)}} : Json{{"level", level.name}};
}

Json level_merit(const Explanation::LevelMerit& one) {
  Json object = level_object(one.level);
  object.update({{"information", json_number(one.information)},
                 {"cost", json_number(one.cost)},
                 {"information_per_cost", json_number(one.per_cost())},
                 {"affordable", one.affordable},
                 {"chosen", one.chosen}});
  return object;
}

// Of counts also the number of trials, or the exposure, that has this noise.
Json counterfactual(const Explanation::Counterfactual& one, const AnswerScale& scale) {
  Json object = level_object(one.level);
  object.update({{"chosen", one.chosen},
                 {"price", json_number(one.price)},
                 {"noise_sd", json_number(one.noise_sd)},
                 {"accuracy", json_number(one.accuracy)},
                 {"point", one.point}});
  if (scale.is_counted())
    object[std::string(scale.noise_key())] =
        one.noise_sd ? json_number(AnswerScale::trials_of(*one.noise_sd * *one.noise_sd)) : Json();
  if (one.here_only) object["here_only"] = true;
  return object;
}

Json counterfactuals(const Explanation& e, const AnswerScale& scale) {
  Json all = Json::array();
  for (const Explanation::Counterfactual& one : e.counterfactuals) all.push_back(counterfactual(one, scale));
  return all;
}

Json neighbour(const Explanation::Neighbour& one) {
  return {{"id", one.id},
          {"point", one.point},
          {"level", one.level},
          {"y", json_number(one.y)},
          {"distance", json_number(one.distance)}};
}

Json inputs_json(const std::vector<Input>& inputs, const std::vector<double>& values) {
  Json list = Json::array();
  for (std::size_t k = 0; k < values.size(); ++k)
    list.push_back(json_value(input_cell(inputs[k], values[k])));
  return list;
}

Json goal_json(const GoalExplanation& goal, const std::vector<Input>& inputs) {
  Json places = Json::array();
  for (const GoalExplanation::Place& one : goal.places)
    places.push_back({{"inputs", inputs_json(inputs, one.inputs)},
                      {"share", json_number(one.share)},
                      {"sd_before", json_number(one.sd_before)},
                      {"sd_after", json_number(one.sd_after)}});
  return {{"points", goal.points},
          {"variance", json_number(goal.variance)},
          {"fall", json_number(goal.fall)},
          {"tells_most", places}};
}

template <typename Items>
Json list(const Items& items, Json (*to_object)(const typename Items::value_type&)) {
  Json all = Json::array();
  for (const auto& item : items) all.push_back(to_object(item));
  return all;
}

}  // namespace

std::string explanation_json(const Explanation& e, const Study& study) {
  const Suggestion& s = e.chosen;
  Json object = Json::object();
  if (!e.instead) object["id"] = s.id;  // a point that is not chosen has none
  object["point"] = s.point;
  object.update(level_object(s.level));
  object.update({{"mean", json_number(s.mean)},
                 {"variance", json_number(s.variance)},
                 {"information", json_number(s.information)},
                 {"unit", e.unit},
                 {"cost", json_number(s.cost)},
                 {"information_per_cost", json_number(s.information_per_cost())},
                 {"drawn", e.is_drawn},
                 {"initial_design", e.in_design},
                 {"audit", e.in_audit},
                 {"failed_before", e.has_failed},
                 {"success", e.success ? json_number(*e.success) : Json()},
                 {"levels_compete", e.levels_compete},
                 {"remaining", json_number(e.remaining)},
                 {"candidates", e.candidates},
                 {"more_certain", json_number(e.more_certain)},
                 {"median_sd", json_number(e.median_sd)},
                 {"levels", list(e.levels, &level_merit)},
                 {"counterfactuals", counterfactuals(e, study.file().target->scale())},
                 {"nearest", list(e.nearest, &neighbour)},
                 {"reported_cost", reported_cost_json(e.reported_cost)},
                 {"reported_noise", reported_noise_json(e.reported_noise)},
                 {"pending", e.pending},
                 {"reach", {{"points", e.reach.points}, {"share", json_number(e.reach.share)}}},
                 {"sd_after", json_number(e.sd_after)},
                 {"pool_sd_before", json_number(e.pool_sd_before)},
                 {"pool_sd_after", json_number(e.pool_sd_after)}});
  if (e.instead) {
    const Suggestion& other = e.instead->chosen;
    Json instead{{"point", other.point}};
    instead.update(level_object(other.level));
    instead.update({{"information", json_number(other.information)},
                    {"cost", json_number(other.cost)},
                    {"information_per_cost", json_number(other.information_per_cost())}});
    object["instead"] = instead;
    object["rank"] = e.instead->rank;
  }
  if (!e.sought.empty()) object.update({{"sought", e.sought}, {"explores", e.explores}});
  if (e.shadow_price) object["shadow_price"] = json_number(*e.shadow_price);
  if (e.plan)
    object["plan"] = {{"lambda", json_number(e.plan->lambda)},
                      {"remaining", json_number(e.plan->remaining)},
                      {"expected", json_number(e.plan->expected)},
                      {"expected_ratio", json_number(e.plan->expected_ratio)}};
  if (e.goal) object["goal"] = goal_json(*e.goal, study.pool().columns());
  if (e.bias) object["bias"] = {{"mean", json_number(e.bias->mean)}, {"sd", json_number(e.bias->sd)}};
  if (s.resume_from) object["resume_from"] = *s.resume_from;
  if (s.answer_mean) object["answer_mean"] = json_number(*s.answer_mean);
  if (s.answer_variance) object["answer_variance"] = json_number(*s.answer_variance);
  return json_text(object);
}

}  // namespace acuity
