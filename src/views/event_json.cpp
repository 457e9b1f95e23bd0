#include "views/event_json.hpp"

#include <nlohmann/json.hpp>

#include "text/result_table.hpp"
#include "views/campaign_text.hpp"

namespace acuity {

namespace {

// One line of the log for programs. What `export --events` names is flat; everything else is as it is stored.
struct EventWriter {
  JsonObject& line;
  const Pool* pool;    // null: it cannot be read
  const State& state;  // after the event

  std::string name_of(Index row) const {
    if (pool != nullptr && row < pool->size()) return pool->id(row);
    for (const SuggestionRecord& record : state.suggestions())
      if (record.asked.row == row) return record.asked.point;
    return std::to_string(row);
  }
  void put_level(const std::string& level, std::optional<double> alpha) const {
    if (alpha || !level.empty()) line.put(alpha ? "alpha" : "level", level_cell(level, alpha));
  }
  void about(std::int64_t id) const {
    const SuggestionRecord& record = *state.find(id);
    line.put("id", id);
    line.put("point", record.row() < 0 ? ResultTable::Cell(std::monostate())
                                       : ResultTable::Cell(name_of(record.row())));
    put_level(record.level(), record.alpha());
  }
  void operator()(const Created& e) const {
    line.put("name", e.name).put("unit", e.unit).put("budget", e.budget).put("version", e.version);
    line.put("study_checksum", e.study_checksum).put("pool_checksum", e.pool_checksum);
  }
  void operator()(const Asked& e) const {
    line.put("id", e.id);
    line.put("point", e.row < 0 ? ResultTable::Cell(std::monostate()) : ResultTable::Cell(e.point));
    put_level(e.level, e.alpha);
    line.put("cost", e.cost).put("information", e.information).put("mean", e.mean);
    line.put("variance", e.variance);
    if (!e.worker.empty()) line.put("worker", e.worker);
    if (e.lease_until) line.put("lease_until", time_text(*e.lease_until));
  }
  void operator()(const Told& e) const {
    about(e.id);
    line.put("y", e.values).put("cost", e.cost);
    if (e.inputs) line.put_json("inputs", nlohmann::json(*e.inputs).dump());
    if (!e.channel) return;
    if (const auto* flip = std::get_if<FlipChannel>(&*e.channel))
      line.put("accuracy", flip->accuracy);
    else
      line.put("noise_variance", noise_variance(*e.channel));
  }
  void operator()(const Failed& e) const {
    about(e.id);
    line.put("cost", e.charge).put("reason", e.reason);
  }
  void operator()(const Released& e) const {
    about(e.id);
    line.put("reason", e.reason);
  }
  void operator()(const Excluded& e) const {
    line.put("point", name_of(e.row));
    put_level(e.level, e.alpha);
    line.put("reason", e.reason);
  }
  void operator()(const Amended& e) const {
    about(e.id);
    line.put("y", e.values).put("reason", e.reason);
  }
  void operator()(const Retracted& e) const {
    about(e.id);
    line.put("reason", e.reason);
  }
  void operator()(const BudgetChanged& e) const { line.put("by", e.by).put("budget", state.budget()); }
  void operator()(const Fitted& e) const { put_all_of(e); }
  void operator()(const OwnerChanged& e) const { put_all_of(e); }
  void put_all_of(const Event& event) const {
    const nlohmann::json body = nlohmann::json::parse(to_json(event));
    for (const auto& [key, value] : body.items()) line.put_json(key, value.dump());
  }
};

}  // namespace

std::string event_json(const StoredEvent& stored, const State& state, const Pool* pool) {
  JsonObject line;
  line.put("seq", stored.sequence).put("time", time_text(stored.time, true));
  line.put("event", event_name(stored.event));
  std::visit(EventWriter{line, pool, state}, stored.event);
  return line.text() + "\n";
}

}  // namespace acuity
