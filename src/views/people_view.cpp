#include "views/people_view.hpp"

#include <algorithm>
#include <map>

#include "views/median.hpp"

namespace acuity {

namespace {

/// The answers and refusals of one person, in the order in which they were recorded.
struct Work {
  std::vector<const SuggestionRecord*> answers, cannot_tell;
};

std::map<std::string, Work> work_by_name(const State& state) {
  std::map<std::string, Work> work;
  for (const SuggestionRecord& record : state.suggestions()) {
    if (!is_person(record.worker())) continue;
    if (!record.values.empty()) work[record.worker()].answers.push_back(&record);
    if (record.cannot_tell) work[record.worker()].cannot_tell.push_back(&record);
  }
  for (auto& [name, one] : work)
    std::stable_sort(one.answers.begin(), one.answers.end(),
                     [](const auto* a, const auto* b) { return a->told_at < b->told_at; });
  return work;
}

/// Answers of people by row of the pool; gold items are left out.
using Items = std::map<Index, std::vector<const SuggestionRecord*>>;

Items items_of(const std::map<std::string, Work>& work) {
  Items items;
  for (const auto& [name, one] : work)
    for (const SuggestionRecord* record : one.answers)
      if (!record->asked.gold && record->row() >= 0) items[record->row()].push_back(record);
  return items;
}

void count_agreement(const Items& items, const std::string& name, const Work& work, PersonView& view) {
  for (const SuggestionRecord* own : work.answers) {
    const auto item = items.find(own->row());
    if (own->asked.gold || item == items.end()) continue;
    for (const SuggestionRecord* other : item->second)
      if (other->worker() != name)
        ++(other->values.front() == own->values.front() ? view.same : view.different);
  }
}

std::optional<double> median_seconds(const Work& work) {
  std::vector<double> seconds;
  for (const SuggestionRecord* record : work.answers)
    if (record->told->seconds) seconds.push_back(*record->told->seconds);
  for (const SuggestionRecord* record : work.cannot_tell)
    if (record->seconds) seconds.push_back(*record->seconds);
  if (seconds.empty()) return std::nullopt;
  return median_of(Eigen::Map<const Vector>(seconds.data(), static_cast<Index>(seconds.size())));
}

ResultTable::Cell cell(std::optional<double> value) {
  return value ? ResultTable::Cell(*value) : ResultTable::Cell(std::monostate());
}

Json json_or_null(std::optional<double> value) {
  return value ? json_number(*value) : Json();
}

}  // namespace

std::vector<PersonView> people_view(const Campaign& campaign) {
  const State& state = campaign.state();
  const std::map<std::string, Work> work = work_by_name(state);
  std::vector<PersonView> views;
  for (const Person& person : state.people())
    views.push_back({.name = person.name, .level = person.level, .active = person.active});
  for (const auto& [name, one] : work)
    if (state.find_person(name) == nullptr) views.push_back({.name = name});
  const bool has_classes = campaign.study().file().binary();
  const Items items = items_of(work);
  for (PersonView& view : views) {
    const auto found = work.find(view.name);
    if (found == work.end()) continue;
    view.answers = static_cast<std::int64_t>(found->second.answers.size());
    view.cannot_tell = static_cast<std::int64_t>(found->second.cannot_tell.size());
    view.median_seconds = median_seconds(found->second);
    if (has_classes) count_agreement(items, view.name, found->second, view);
  }
  return views;
}

Json people_json(const std::vector<PersonView>& people) {
  Json rows = Json::array();
  for (const PersonView& one : people)
    rows.push_back({{"name", one.name},
                    {"level", one.level},
                    {"answers", one.answers},
                    {"gold", {{"right", one.gold_right}, {"wrong", one.gold_wrong}}},
                    {"agreement", {{"same", one.same}, {"different", one.different}}},
                    {"accuracy", json_or_null(one.accuracy)},
                    {"low", json_or_null(one.low)},
                    {"high", json_or_null(one.high)},
                    {"cannot_tell", one.cannot_tell},
                    {"median_seconds", json_or_null(one.median_seconds)},
                    {"remark", one.remark}});
  return rows;
}

std::string people_text(const std::vector<PersonView>& people, Format format) {
  if (format == Format::json) return json_text(Json{{"people", people_json(people)}}) + "\n";
  ResultTable table(format, {"name", "level", "answers", "gold_right", "gold_wrong", "same", "different",
                             "accuracy", "low", "high", "cannot_tell", "median_seconds", "remark"});
  for (const PersonView& one : people)
    table.add({one.name, one.level, one.answers, one.gold_right, one.gold_wrong, one.same, one.different,
               cell(one.accuracy), cell(one.low), cell(one.high), one.cannot_tell, cell(one.median_seconds),
               one.active ? one.remark : std::string("not asked any more")});
  return table.text();
}

}  // namespace acuity
