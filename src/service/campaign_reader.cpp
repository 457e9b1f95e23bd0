#include "service/campaign_reader.hpp"

#include <cmath>

#include "campaign/state_queries.hpp"
#include "service/campaign_verbs.hpp"
#include "service/watchers_view.hpp"
#include "text/result_table.hpp"
#include "views/annotation_rows.hpp"
#include "views/campaign_status.hpp"
#include "views/event_json.hpp"

namespace acuity {

namespace {

Json inputs_json(const Study& study) {
  Json list = Json::array();
  for (const Input& input : study.pool().columns())
    list.push_back({{"name", input.name},
                    {"unit", input.unit},
                    {"kind", input.is_named() ? "category" : "number"},
                    {"logarithmic", input.log},
                    {"values", input.is_named() ? Json(input.values) : Json::array()}});
  return list;
}

Json levels_json(const Study& study) {
  Json list = Json::array();
  for (const Level& level : study.offer().levels)
    list.push_back({{"name", level.name},
                    {"alpha", json_number(level.alpha)},
                    {"cost", json_number(level.cost)},
                    {"units", level.units}});
  return list;
}

}  // namespace

CampaignReader::CampaignReader(const CampaignAddress& address, const CampaignOptions& options)
    : campaign_(Campaign::open(address, Access::read, options)) {}

const Campaign& CampaignReader::campaign_now() {
  campaign_.refresh();
  return campaign_;
}

std::string CampaignReader::status(bool hides_gold) {
  campaign_.refresh();
  std::string text = status_json(campaign_);
  return hides_gold ? status_for_watchers(campaign_, text) : text;
}

Json CampaignReader::study(bool hides_gold) {
  campaign_.refresh();
  const Study& study = campaign_.study();
  const std::string& text = campaign_.state().created().study;
  const bool is_cut = hides_gold && !study.gold().empty();
  return {{"name", study.file().name},
          {"unit", study.file().unit},
          {"target", study.file().target->kind()},
          {"inputs", inputs_json(study)},
          {"levels", levels_json(study)},
          {"ladder", study.is_ladder()},
          {"pool", study.pool().size()},
          {"text", is_cut ? study_for_watchers(text) : text}};
}

Json CampaignReader::pending(bool /*hides_gold*/) {
  campaign_.refresh();
  Json list = suggestions_json(campaign_, campaign_.pending());
  for (Json& one : list) {
    const SuggestionRecord& record = *campaign_.state().find(one.at("id").get<std::int64_t>());
    one["worker"] = record.asked.worker;
    one["asked_at"] = json_number(record.asked_at);
  }
  return {{"pending", std::move(list)}};
}

Json CampaignReader::annotations(bool hides_gold) {
  campaign_.refresh();
  const Study& study = campaign_.study();
  Json rows = Json::array();
  for (const AnnotationRow& row : annotation_rows(campaign_, hides_gold)) {
    Json inputs = Json::object();
    for (std::size_t k = 0; k < row.inputs.size(); ++k)
      inputs[study.pool().inputs()[k]] = json_value(input_cell(study.pool().columns()[k], row.inputs[k]));
    rows.push_back({{"id", row.id},
                    {"point", row.point},
                    {"inputs", std::move(inputs)},
                    {"level", row.level},
                    {"alpha", json_number(row.alpha)},
                    {"y", json_number(row.y)},
                    {"cost", json_number(row.cost)},
                    {std::string(study.file().target->channel_column()), json_number(row.channel)},
                    {"worker", row.worker},
                    {"told_at", json_number(row.told_at)},
                    {"seconds", json_number(row.seconds)}});
  }
  return {{"rows", std::move(rows)}};
}

// The state after each event is not the one now: it is replayed from the beginning, as `export` does.
std::string CampaignReader::events(std::int64_t after, std::int64_t limit, bool hides_gold,
                                   const std::set<std::string>& kinds) {
  campaign_.refresh();
  State state;
  std::string lines;
  std::int64_t found = 0;
  for (const StoredEvent& stored : campaign_.events()) {
    state.apply(stored);
    if (stored.sequence <= after) continue;
    if (kinds.empty() ? stored.sequence > after + limit : found == limit) break;
    if (!kinds.empty() && !kinds.contains(event_name(stored.event))) continue;
    ++found;
    lines += event_json(stored, state, &campaign_.study().pool(), !hides_gold);
  }
  return lines;
}

}  // namespace acuity
