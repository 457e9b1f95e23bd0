#include "views/event_json.hpp"

#include "text/json.hpp"
#include "text/result_table.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

// One line of the log. The fields that `export --events` documents are flat; everything else is as stored.
struct EventWriter {
  Json& line;
  const Pool* pool;    // null if it cannot be read
  const State& state;  // after the event
  bool shows_gold;

  std::string name_of(Index row) const {
    if (pool != nullptr && row < pool->size()) return pool->id(row);
    for (const SuggestionRecord& record : state.suggestions())
      if (record.asked.row == row) return record.asked.point;
    return std::to_string(row);
  }
  void put_level(const std::string& level, std::optional<double> alpha) const {
    if (alpha)
      line["alpha"] = json_number(*alpha);
    else if (!level.empty())
      line["level"] = level;
  }
  void about(std::int64_t id) const {
    const SuggestionRecord& record = *state.find(id);
    line["id"] = id;
    line["point"] = record.row() < 0 ? Json() : Json(name_of(record.row()));
    put_level(record.level(), record.alpha());
  }
  Json inputs_json(const std::vector<double>& values) const {
    Json inputs = Json::array();
    for (std::size_t k = 0; k < values.size(); ++k)
      inputs.push_back(pool != nullptr && k < pool->columns().size()
                           ? json_value(input_cell(pool->columns()[k], values[k]))
                           : json_number(values[k]));
    return inputs;
  }
  void put_channel(const Channel& channel) const {
    const auto* flip = std::get_if<FlipChannel>(&channel);
    if (flip == nullptr)
      line["noise_variance"] = json_number(noise_variance(channel));
    else
      line["accuracy"] = json_number(flip->accuracy());
    if (flip == nullptr || flip->is_symmetric()) return;
    line["accuracy_yes"] = json_number(flip->yes);
    line["accuracy_no"] = json_number(flip->no);
  }
  void operator()(const Created& e) const {
    line["name"] = e.name;
    line["unit"] = e.unit;
    line["budget"] = json_number(e.budget);
    line["version"] = e.version;
    line["study_checksum"] = e.study_checksum;
    line["pool_checksum"] = e.pool_checksum;
  }
  void operator()(const Asked& e) const {
    line["id"] = e.id;
    line["point"] = e.row < 0 ? Json() : Json(e.point);
    put_level(e.level, e.alpha);
    line["cost"] = json_number(e.cost);
    line["information"] = json_number(e.information);
    line["mean"] = json_number(e.mean);
    line["variance"] = json_number(e.variance);
    if (e.answer_mean) line["answer_mean"] = json_number(*e.answer_mean);
    if (e.answer_variance) line["answer_variance"] = json_number(*e.answer_variance);
    if (e.reserve) line["reserve"] = json_number(*e.reserve);
    if (e.replaces) line["replaces"] = *e.replaces;
    if (e.gold && shows_gold) line["gold"] = true;
    if (e.audit) line["audit"] = true;
    if (!e.worker.empty()) line["worker"] = e.worker;
    if (e.lease_until) line["lease_until"] = time_text(*e.lease_until);
  }
  void operator()(const Told& e) const {
    about(e.id);
    line["y"] = json_value(e.values);
    line["cost"] = json_number(e.cost);
    if (e.inputs) line["inputs"] = inputs_json(*e.inputs);
    if (e.unasked) line["unasked"] = true;
    if (e.queue_seconds) line["queue_seconds"] = json_number(*e.queue_seconds);
    if (e.run_seconds) line["run_seconds"] = json_number(*e.run_seconds);
    if (e.channel) put_channel(*e.channel);
    put_person(e.worker, e.seconds);
    if (!e.note.empty()) line["note"] = e.note;
  }
  void operator()(const Failed& e) const {
    about(e.id);
    line["cost"] = json_number(e.charge);
    line["reason"] = e.reason;
    if (e.cannot_tell) line["cannot_tell"] = true;
    if (e.inconclusive) line["inconclusive"] = true;
    put_person(e.worker, e.seconds);
  }
  void operator()(const Renewed& e) const {
    about(e.id);
    line["lease_until"] = time_text(e.lease_until);
    put_person(e.worker, std::nullopt);
  }
  void operator()(const PersonAdded& e) const { put_all_of(e); }
  void operator()(const Audited& e) const { put_all_of(e); }
  void put_person(const std::string& worker, std::optional<double> seconds) const {
    if (!worker.empty()) line["worker"] = worker;
    if (seconds) line["seconds"] = json_number(*seconds);
  }
  void operator()(const Released& e) const {
    about(e.id);
    line["reason"] = e.reason;
  }
  void operator()(const Excluded& e) const {
    line["point"] = name_of(e.row);
    put_level(e.level, e.alpha);
    line["reason"] = e.reason;
  }
  void operator()(const Amended& e) const {
    about(e.id);
    if (!e.values.empty()) line["y"] = json_value(e.values);
    if (e.cost) line["cost"] = json_number(*e.cost);
    if (e.refund) line["refund"] = json_number(*e.refund);
    if (e.inputs) line["inputs"] = inputs_json(*e.inputs);
    if (e.channel) put_channel(*e.channel);
    if (e.declared_channel) line["declared_noise"] = true;
    line["reason"] = e.reason;
  }
  void operator()(const Retracted& e) const {
    about(e.id);
    line["reason"] = e.reason;
  }
  void operator()(const BudgetChanged& e) const {
    line["by"] = json_number(e.by);
    line["budget"] = json_number(state.budget());
  }
  void operator()(const Fitted& e) const { put_all_of(e); }
  void operator()(const OwnerChanged& e) const {
    put_all_of(e);
    if (e.lease_until) line["lease_until"] = time_text(*e.lease_until);
  }
  void operator()(const Planned& e) const { put_all_of(e); }
  void operator()(const StudyChanged& e) const {
    put_all_of(e);
    if (shows_gold) return;
    // Texts of the study, and which of its keys and tables have changed, name the gold items.
    for (const char* key : {"study", "before"}) line.erase(key);
    for (const char* key : {"changes", "tables", "table_checksums"}) line.erase(key);
  }
  void put_all_of(const Event& event) const {
    const Json body = json_in(to_json(event));  // must outlive its items()
    for (const auto& [key, value] : body.items()) line[key] = value;
  }
};

}  // namespace

std::string event_json(const StoredEvent& stored, const State& state, const Pool* pool, bool shows_gold) {
  Json line = Json::object();
  line["seq"] = stored.sequence;
  line["time"] = time_text(stored.time, true);
  line["event"] = event_name(stored.event);
  std::visit(EventWriter{line, pool, state, shows_gold}, stored.event);
  return json_text(line) + "\n";
}

}  // namespace acuity
