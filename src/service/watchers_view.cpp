#include "service/watchers_view.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <regex>

#include "acuity/base/errors.hpp"
#include "acuity/data/observation.hpp"
#include "campaign/state_queries.hpp"
#include "study/target_view.hpp"
#include "text/json.hpp"
#include "text/level_text.hpp"
#include "text/result_table.hpp"
#include "views/level_groups.hpp"

namespace acuity {

namespace {

constexpr std::size_t most_answers = 2000;  // as in view_json()

std::vector<const SuggestionRecord*> gold_answers(const State& state) {
  std::vector<const SuggestionRecord*> records;
  for (const SuggestionRecord& record : state.suggestions())
    if (record.asked.gold && !record.values.empty()) records.push_back(&record);
  return records;
}

// Whether answers were predicted before they were recorded changes once, after the initial design: an answer
// that the model does not have is taken for one like the answer before it, or the first that it has.
void fill_predicted(std::vector<Json>& rows) {
  const auto known = std::find_if(rows.begin(), rows.end(),
                                  [](const Json& row) { return row.at("predicted").is_boolean(); });
  Json last = known == rows.end() ? Json(true) : known->at("predicted");
  for (Json& row : rows)
    if (Json& own = row.at("predicted"); own.is_null())
      own = last;
    else
      last = own;
}

Json answer_row(const Study& study, const SuggestionRecord& record, std::size_t level) {
  const Asked& asked = record.asked;
  const Target& target = *study.file().target;
  const std::shared_ptr<const TargetView> shown = TargetView::of(target);
  const Channel channel = record.told->channel ? *record.told->channel : asked.channel;
  const auto* flip = std::get_if<FlipChannel>(&channel);
  const ExpectedAnswer expected = target.expected_answer(
      {asked.answer_mean.value_or(asked.mean), asked.answer_variance.value_or(asked.variance)}, channel);
  Json inputs = Json::array();
  const double* point = study.pool().point(asked.row);
  for (std::size_t k = 0; k < study.pool().columns().size(); ++k)
    inputs.push_back(json_value(input_cell(study.pool().columns()[k], point[k])));
  const double value = target.to_model(record.values.front());
  return {
      {"id", asked.id},
      {"point", asked.point},
      {"inputs", std::move(inputs)},
      {"level", level},
      {"value", json_number(shown->on_prediction_axis(value))},
      {"text", shown->answer_text(value)},
      {"expected", json_number(expected.value)},
      {"expected_low", nullptr},
      {"expected_high", nullptr},
      {"score", nullptr},
      {"noise", json_number(flip != nullptr ? 1.0 - flip->accuracy() : std::sqrt(noise_variance(channel)))},
      {"predicted", nullptr},
      {"cost", json_number(record.charged)},
      {"told_at", json_number(record.told_at)},
      {"worker", asked.worker}};
}

}  // namespace

bool has_gold_answers(const Campaign& campaign) {
  return !campaign.study().gold().empty() && !gold_answers(campaign.state()).empty();
}

std::vector<Json> with_gold_answers(const Campaign& campaign, std::vector<Json> rows) {
  const LevelGroups groups = level_groups(campaign.study(), campaign.state());
  for (const SuggestionRecord* record : gold_answers(campaign.state()))
    rows.push_back(answer_row(campaign.study(), *record,
                              groups.of_suggestion[static_cast<std::size_t>(record->asked.id - 1)]));
  std::stable_sort(rows.begin(), rows.end(), [](const Json& a, const Json& b) {
    return a.at("told_at").get<double>() < b.at("told_at").get<double>();
  });
  fill_predicted(rows);
  return rows;
}

std::string view_for_watchers(const Campaign& campaign, const std::string& text) {
  const Study& study = campaign.study();
  if (study.gold().empty()) return text;
  Json view = json_in(text);
  for (Json& person : view.at("people")) person["gold"] = nullptr;
  const std::vector<const SuggestionRecord*> gold = gold_answers(campaign.state());
  if (gold.empty()) return json_text(view);
  const LevelGroups groups = level_groups(study, campaign.state());
  Json& answers = view.at("answers");
  for (const SuggestionRecord* record : gold) {
    const std::size_t level = groups.of_suggestion[static_cast<std::size_t>(record->asked.id - 1)];
    Json& total = view.at("levels").at(level).at("answers");
    total = total.get<std::int64_t>() + 1;
    const double time = record->told_at - campaign.state().created_at();
    for (Json& point : view.at("spending"))
      if (point.at("time").get<double>() >= time) {
        Json& count = point.at("answers");
        count = count.get<std::int64_t>() + 1;
      }
  }
  std::vector<Json> rows = with_gold_answers(campaign, {answers.begin(), answers.end()});
  if (rows.size() > most_answers)
    rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(most_answers));
  answers = rows;
  Json& total = view.at("answers_total");
  total = total.get<std::size_t>() + gold.size();
  return json_text(view);
}

std::string status_for_watchers(const Campaign& campaign, const std::string& text) {
  const std::vector<const SuggestionRecord*> gold = gold_answers(campaign.state());
  if (gold.empty()) return text;
  Json status = json_in(text);
  for (const SuggestionRecord* record : gold) {
    Json& total = status.at("annotations");
    total = total.get<std::int64_t>() + 1;
    for (Json& level : status.at("levels"))
      if (level.at("level") == describe(record->level(), record->alpha())) {
        Json& count = level.at("annotations");
        count = count.get<std::int64_t>() + 1;
      }
  }
  return json_text(status);
}

std::string study_for_watchers(const std::string& text) {
  static const std::regex key(
      R"((people[ \t]*\.[ \t]*)?["']?gold(_rate)?["']?[ \t]*=[ \t]*("[^"\n]*"|'[^'\n]*'|[-+0-9.eE_]+)[ \t]*,?)");
  static const std::regex comment(R"(#[^\n]*[Gg][Oo][Ll][Dd][^\n]*)");
  const std::string rest =
      std::regex_replace(std::regex_replace(text, key, std::string()), comment, std::string());
  // Written in another way, such as with escapes: then nothing is better than a hint.
  std::string small = rest;
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small.find("gold") == std::string::npos ? rest : std::string();
}

}  // namespace acuity
