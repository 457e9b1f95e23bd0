#include "event_json.hpp"

#include <nlohmann/json.hpp>

#include "campaign_text.hpp"
#include "result_table.hpp"

namespace acuity {

namespace {

// One line of the log for programs. What `export --events` names is flat; everything else is as it is stored.
class EventLine {
 public:
  EventLine(const StoredEvent& stored) {
    put("seq", std::to_string(stored.sequence));
    put("time", json_string(time_text(stored.time, true)));
    put("event", json_string(event_name(stored.event)));
  }
  void put(const std::string& key, const std::string& json) {
    text_ += (text_.empty() ? "{" : ", ") + json_string(key) + ": " + json;
  }
  void put_cell(const std::string& key, const ResultTable::Cell& cell) {
    if (!std::holds_alternative<std::monostate>(cell)) put(key, json_of(cell));
  }
  void put_level(const std::string& level, std::optional<double> alpha) {
    put_cell(alpha ? "alpha" : "level", level_cell(level, alpha));
  }
  void put_values(const std::vector<double>& values) {
    std::string list;
    for (const double value : values) list += (list.empty() ? "" : ", ") + exact_json(value);
    put("y", values.size() == 1 ? list : "[" + list + "]");
  }
  std::string text() const { return text_ + "}\n"; }

 private:
  std::string text_;
};

struct EventWriter {
  EventLine& line;
  const Pool* pool;    // null: it cannot be read
  const State& state;  // after the event

  std::string name_of(Index row) const {
    if (pool != nullptr && row < pool->size()) return pool->id(row);
    for (const SuggestionRecord& record : state.suggestions())
      if (record.asked.row == row) return record.asked.point;
    return std::to_string(row);
  }
  void about(std::int64_t id) const {
    const SuggestionRecord& record = *state.find(id);
    line.put("id", std::to_string(id));
    line.put("point", record.row() < 0 ? "null" : json_string(name_of(record.row())));
    line.put_level(record.level(), record.alpha());
  }
  void operator()(const Created& e) const {
    line.put("name", json_string(e.name));
    line.put("unit", json_string(e.unit));
    line.put("budget", exact_json(e.budget));
    line.put("version", json_string(e.version));
    line.put("study_checksum", json_string(e.study_checksum));
    line.put("pool_checksum", json_string(e.pool_checksum));
  }
  void operator()(const Asked& e) const {
    line.put("id", std::to_string(e.id));
    line.put("point", json_string(e.point));
    line.put_level(e.level, e.alpha);
    line.put("cost", exact_json(e.cost));
    line.put("information", exact_json(e.information));
    line.put("mean", exact_json(e.mean));
    line.put("variance", exact_json(e.variance));
    if (!e.worker.empty()) line.put("worker", json_string(e.worker));
    if (e.lease_until) line.put("lease_until", json_string(time_text(*e.lease_until)));
  }
  void operator()(const Told& e) const {
    about(e.id);
    line.put_values(e.values);
    line.put("cost", exact_json(e.cost));
    if (e.inputs) {
      std::string list;
      for (const double x : *e.inputs) list += (list.empty() ? "" : ", ") + exact_json(x);
      line.put("inputs", "[" + list + "]");
    }
    if (!e.channel) return;
    if (const auto* flip = std::get_if<FlipChannel>(&*e.channel))
      line.put("accuracy", exact_json(flip->accuracy));
    else
      line.put("noise_variance", exact_json(noise_variance(*e.channel)));
  }
  void operator()(const Failed& e) const {
    about(e.id);
    line.put("cost", exact_json(e.charge));
    line.put("reason", json_string(e.reason));
  }
  void operator()(const Released& e) const {
    about(e.id);
    line.put("reason", json_string(e.reason));
  }
  void operator()(const Excluded& e) const {
    line.put("point", json_string(name_of(e.row)));
    line.put_level(e.level, e.alpha);
    line.put("reason", json_string(e.reason));
  }
  void operator()(const Amended& e) const {
    about(e.id);
    line.put_values(e.values);
    line.put("reason", json_string(e.reason));
  }
  void operator()(const Retracted& e) const {
    about(e.id);
    line.put("reason", json_string(e.reason));
  }
  void operator()(const BudgetChanged& e) const {
    line.put("by", exact_json(e.by));
    line.put("budget", exact_json(state.budget()));
  }
  void operator()(const Fitted& e) const { rest_of(to_json(e)); }
  void operator()(const OwnerChanged& e) const { rest_of(to_json(e)); }
  void rest_of(const std::string& json) const {
    const nlohmann::json body = nlohmann::json::parse(json);
    for (const auto& [key, value] : body.items()) line.put(key, value.dump());
  }
};

}  // namespace

std::string event_json(const StoredEvent& stored, const State& state, const Pool* pool) {
  EventLine line(stored);
  std::visit(EventWriter{line, pool, state}, stored.event);
  return line.text();
}

}  // namespace acuity
