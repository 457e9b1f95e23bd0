#include "service/label_desk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "acuity/base/errors.hpp"
#include "campaign/answer_reader.hpp"
#include "campaign/state_queries.hpp"
#include "service/campaign_verbs.hpp"
#include "service/role_limits.hpp"
#include "study/people_texts.hpp"
#include "study/target_view.hpp"
#include "text/result_table.hpp"
#include "views/level_groups.hpp"

namespace acuity {

namespace {

constexpr const char* skipped = "skipped: ";

Json classes_json(const Study& study) {
  if (!study.file().binary()) return nullptr;
  const std::vector<std::string>& names = study.file().target->class_names();
  Json classes = Json::array();
  for (const std::size_t k : {0, 1})
    classes.push_back({{"value", k == 0 ? -1 : 1},
                       {"name", names.size() == 2 ? names[k] : std::string(k == 0 ? "-1" : "+1")},
                       {"key", std::to_string(k + 1)}});
  return classes;
}

}  // namespace

LabelDesk::LabelDesk(Campaign& campaign, LabelItems items, double lease)
    : campaign_(campaign), items_(std::move(items)), lease_(lease) {}

const SuggestionRecord& LabelDesk::own(std::int64_t id, const Caller& caller) const {
  const SuggestionRecord* record = campaign_.state().find(id);
  if (record == nullptr) throw HttpProblem(404, fmt::format("there is no item {}", id));
  if (record->asked.worker != caller.name)
    throw HttpProblem(403, fmt::format("item {} was not given to {}", id, printable(caller.name, 40)));
  return *record;
}

// A released point may be asked for again, but not of the person who has skipped it.
std::vector<Index> LabelDesk::skipped_by(const std::string& person) const {
  std::vector<Index> rows;
  for (const SuggestionRecord& record : campaign_.state().suggestions())
    if (record.asked.worker == person && record.status == SuggestionStatus::released &&
        record.reason.starts_with(skipped))
      rows.push_back(record.asked.row);
  return rows;
}

// The levels of the person, or all if there are none, that are for sale there and can be paid for instead of
// the one that was asked for, which is always among them. The most precise first.
std::vector<Level> LabelDesk::levels_for(const std::string& person, const SuggestionRecord& record) const {
  const Study& study = campaign_.study();
  const State& state = campaign_.state();
  const std::string& asked = record.asked.level;
  if (study.is_ladder()) return {level_of(study, asked, record.asked.alpha)};
  const Person* known = state.find_person(person);
  const auto is_offered = [&](const Level& level) {
    if (level.name == asked) return true;
    if (level.is_retired || record.asked.replaces) return false;
    const bool is_own =
        known == nullptr || known->levels.empty() ||
        std::find(known->levels.begin(), known->levels.end(), level.name) != known->levels.end();
    const bool is_excluded = std::any_of(
        state.excluded().begin(), state.excluded().end(),
        [&](const Excluded& one) { return one.row == record.asked.row && one.level == level.name; });
    const bool is_pending = record.status == SuggestionStatus::pending;
    const double left = state.free() + (is_pending ? record.asked.reserved() : record.charged);
    return is_own && !is_excluded && level.reserved() <= left;
  };
  std::vector<Level> levels;
  for (const Level& level : study.offer().levels)
    if (is_offered(level)) levels.push_back(level);
  std::stable_sort(levels.begin(), levels.end(), is_more_precise);
  return levels;
}

Json LabelDesk::levels_json(const Suggestion& suggestion, const std::string& person) const {
  Json levels = Json::array();
  for (const Level& level : levels_for(person, *campaign_.state().find(suggestion.id))) {
    const double cost = level.name == suggestion.level.name ? suggestion.cost : level.cost;
    levels.push_back({{"name", level.name}, {"cost", json_number(cost)}});
  }
  return levels;
}

Json LabelDesk::item_json(const Suggestion& suggestion, const std::string& person) const {
  const std::vector<Input>& columns = campaign_.study().pool().columns();
  Json inputs = Json::array();
  for (std::size_t k = 0; k < columns.size(); ++k)
    inputs.push_back({{"name", columns[k].name},
                      {"unit", columns[k].unit},
                      {"value", json_value(input_cell(columns[k], suggestion.inputs[k]))}});
  // What the pool's table says of the point besides its inputs; the column `text` is the item itself.
  const Pool& pool = campaign_.study().pool();
  std::optional<std::string> text = items_.text(suggestion.point);
  for (std::size_t k = 0; k < pool.text_columns().size(); ++k) {
    const std::string cell(pool.text(suggestion.row, k));
    if (pool.text_columns()[k] == "text" && !text)
      text = cell;
    else if (!cell.empty())
      inputs.push_back({{"name", pool.text_columns()[k]}, {"unit", ""}, {"value", cell}});
  }
  return {
      {"id", suggestion.id},
      {"point", suggestion.point},
      {"level", suggestion.level.name},
      {"cost", json_number(suggestion.cost)},
      {"inputs", std::move(inputs)},
      {"text", text ? Json(*text) : Json()},
      {"image", items_.has_image(suggestion.point) ? Json("/v1/label/image/" + std::to_string(suggestion.id))
                                                   : Json()},
      {"lease_until", json_number(campaign_.state().find(suggestion.id)->asked.lease_until)},
      {"levels", levels_json(suggestion, person)}};
}

Json LabelDesk::holders_json(const std::string& person) const {
  Json holders = Json::array();
  for (const std::int64_t id : campaign_.state().pending()) {
    const Asked& asked = campaign_.state().find(id)->asked;
    if (asked.worker != person)
      holders.push_back(
          {{"worker", asked.worker}, {"point", asked.point}, {"until", json_number(asked.lease_until)}});
  }
  return holders;
}

namespace {

// What the person is asked: "complaint: no or yes?", "torque (N m)?"; empty if the study has no name for it.
std::string question_of(const Campaign& campaign) {
  const Study& study = campaign.study();
  if (std::string asked = people_question(campaign.state().created().study); !asked.empty()) return asked;
  const Target& target = *study.file().target;
  const std::string title = target.title_or("");
  const std::vector<std::string>& classes = target.class_names();
  if (title.empty()) return "";
  return classes.size() == 2 ? fmt::format("{}: {} or {}?", title, classes[0], classes[1]) : title + "?";
}

}  // namespace

// Nobody at the desk can say yes to an expensive answer: that is its owner's to do.
AskResult LabelDesk::ask(const Caller& caller) {
  try {
    return campaign_.ask({.count = held_at_once,
                          .worker = caller.name,
                          .lease = lease_,
                          .budget = std::nullopt,
                          .avoid = skipped_by(caller.name),
                          .resume = true});
  } catch (const TooCostlyError&) {
    return {.suggestions = {},
            .status = AskStatus::nothing_now,
            .reason = "the next item costs more than one may without the owner's yes",
            .note = {}};
  }
}

Json LabelDesk::next(const std::string& text, const Caller& caller) {
  const RequestBody body = permitted_body("/v1/label/next", text, caller, lease_);
  campaign_.refresh();
  const AskResult result = ask(caller);
  const std::vector<Suggestion>& held = result.suggestions;
  std::int64_t answered = 0;
  for (const SuggestionRecord& record :
       campaign_.state().suggestions())  // gold items, too: none may stand out
    answered += !record.values.empty() && record.worker() == caller.name ? 1 : 0;
  Json following = Json::array();
  for (std::size_t k = 1; k < held.size(); ++k) following.push_back(item_json(held[k], caller.name));
  const bool waits = held.empty() && result.status != AskStatus::finished;
  return {{"item", held.empty() ? Json() : item_json(held[0], caller.name)},
          {"following", std::move(following)},
          {"classes", classes_json(campaign_.study())},
          {"unit", campaign_.study().file().unit},
          {"axis", TargetView::of(*campaign_.study().file().target)->prediction_axis()},
          {"question", question_of(campaign_)},
          {"instructions", people_instructions(campaign_.state().created().study)},
          {"answered", answered},
          {"reason", held.empty() ? reason_for(caller, result) : ""},
          {"retry_after", waits ? json_number(retry_after(campaign_)) : Json()},
          {"finished", held.empty() && result.status == AskStatus::finished},
          {"holders", holders_json(caller.name)}};
}

// The level at which the person says the answer was given, if it is another one than is known.
std::optional<Level> LabelDesk::other_level(const std::optional<std::string>& name,
                                            const SuggestionRecord& record, const Caller& caller) const {
  if (!name || *name == record.level()) return std::nullopt;
  for (const Level& level : levels_for(caller.name, record))
    if (level.name == *name) return level;
  throw HttpProblem(400, fmt::format("level is \"{}\", must be one of the levels of item {}",
                                     printable(*name, 60), record.asked.id));
}

Json LabelDesk::answer(const std::string& text, const Caller& caller) {
  const RequestBody body = permitted_body("/v1/label/answer", text, caller, lease_);
  campaign_.refresh();
  const std::int64_t id = body.required_id();
  const SuggestionRecord& record = own(id, caller);
  const WrittenValues written =
      read_values(campaign_.study(), body.answers(), fmt::format("the answer to {}", id));
  const std::vector<double>& values = written.values;
  if (values.empty()) throw HttpProblem(400, fmt::format("the answer to {} has no \"y\", must have one", id));
  const std::optional<Level> level = other_level(body.text("level"), record, caller);
  if (record.told && !record.retracted && (record.values != values || level)) {
    std::optional<double> cost;
    if (level) cost = level->cost * static_cast<double>(values.size());
    const bool changes = campaign_.amend(Amendment{.id = id,
                                                   .values = values,
                                                   .cost = cost,
                                                   .refund = {},
                                                   .channel = {},
                                                   .declared_channel = false,
                                                   .row = {},
                                                   .inputs = {},
                                                   .level = level,
                                                   .reason = "corrected by " + caller.name,
                                                   .trials = written.trials});
    return {{"id", id}, {"changes", changes}, {"charge", 0.0}, {"surprise", nullptr}};
  }
  Answer answer;
  answer.id = id;
  answer.values = values;
  answer.trials = written.trials;
  answer.where = "the answer";
  answer.worker = caller.name;
  answer.seconds = body.number("seconds");
  answer.level = level;
  const TellResult result = campaign_.tell({answer}).front();
  // Whether it surprises is nothing that a person should be told before the next one.
  return {
      {"id", id}, {"changes", result.changes}, {"charge", json_number(result.charge)}, {"surprise", nullptr}};
}

Json LabelDesk::skip(const std::string& text, const Caller& caller) {
  const RequestBody body = permitted_body("/v1/label/skip", text, caller, lease_);
  campaign_.refresh();
  const std::int64_t id = body.required_id();
  own(id, caller);
  campaign_.release({id}, skipped + body.text("reason").value_or(""));
  return Json::object();
}

Json LabelDesk::cannot_tell(const std::string& text, const Caller& caller) {
  const RequestBody body = permitted_body("/v1/label/cannot-tell", text, caller, lease_);
  campaign_.refresh();
  const std::int64_t id = body.required_id();
  own(id, caller);
  campaign_.fail({.id = id,
                  .reason = "cannot tell",
                  .charge = 0.0,
                  .exclude = false,
                  .cannot_tell = true,
                  .worker = caller.name,
                  .seconds = body.number("seconds")});
  return Json::object();
}

}  // namespace acuity
