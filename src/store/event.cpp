#include "acuity/store/event.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "acuity/base/errors.hpp"
#include "text/json.hpp"

namespace acuity {

namespace {

using EventJson = SortedJson;

// JSON has no infinity, but a channel or an alpha may be infinite.
EventJson number(double value) {
  if (std::isinf(value)) return value > 0.0 ? "inf" : "-inf";
  return value;
}

EventJson numbers(const std::vector<double>& values) {
  EventJson json = EventJson::array();
  for (const double value : values) json.push_back(number(value));
  return json;
}

EventJson channel(const Channel& channel) {
  const auto* flip = std::get_if<FlipChannel>(&channel);
  if (flip != nullptr && flip->is_symmetric()) return {{"accuracy", number(flip->yes)}};
  if (flip != nullptr) return {{"accuracy_yes", number(flip->yes)}, {"accuracy_no", number(flip->no)}};
  return {{"noise_variance", number(std::get<GaussianChannel>(channel).noise_variance)}};
}

// Events are flat: all numbers of one kind are one list, in the order of the names.
void put_structures(EventJson& json, const std::vector<FittedStructure>& structures) {
  if (structures.empty()) return;
  for (const char* key :
       {"structures", "structure_sizes", "structure_parameters", "structure_nugget", "structure_objective"})
    json[key] = EventJson::array();
  for (const FittedStructure& one : structures) {
    json["structures"].push_back(one.name);
    json["structure_sizes"].push_back(one.log_parameters.size());
    for (const double parameter : one.log_parameters)
      json["structure_parameters"].push_back(number(parameter));
    json["structure_nugget"].push_back(number(one.nugget));
    json["structure_objective"].push_back(number(one.objective));
    if (!one.map.empty()) json["answer_map"] = numbers(one.map);
  }
}

// The last link is f and has no name.
void put_chain(EventJson& json, const std::vector<FittedLink>& chain) {
  if (chain.empty()) return;
  for (const char* key : {"chain_levels", "chain_sizes", "chain_parameters", "chain_numbers"})
    json[key] = EventJson::array();
  for (const FittedLink& one : chain) {
    if (!one.level.empty()) json["chain_levels"].push_back(one.level);
    json["chain_sizes"].push_back(one.log_parameters.size());
    for (const double parameter : one.log_parameters) json["chain_parameters"].push_back(number(parameter));
    for (const double value : {one.nugget, one.mean, one.centre, one.spread, one.low, one.high})
      json["chain_numbers"].push_back(number(value));
  }
}

template <typename Value, typename Encode>
void put(EventJson& json, const char* key, const std::optional<Value>& value, const Encode& encode) {
  if (value) json[key] = encode(*value);
}

const auto as_number = [](double value) { return number(value); };

EventJson body(const Created& e) {
  return {{"version", e.version},
          {"name", e.name},
          {"unit", e.unit},
          {"study_checksum", e.study_checksum},
          {"pool_checksum", e.pool_checksum},
          {"budget", number(e.budget)},
          {"study", e.study},
          {"study_folder", e.study_folder},
          {"pool_file", e.pool_file},
          {"pool_blocks", e.pool_blocks}};
}
EventJson body(const Asked& e) {
  EventJson json{{"id", e.id},
                 {"row", e.row},
                 {"point", e.point},
                 {"channel", channel(e.channel)},
                 {"cost", number(e.cost)},
                 {"information", number(e.information)},
                 {"mean", number(e.mean)},
                 {"variance", number(e.variance)}};
  if (!e.level.empty()) json["level"] = e.level;
  put(json, "alpha", e.alpha, as_number);
  if (!e.worker.empty()) json["worker"] = e.worker;
  put(json, "lease_until", e.lease_until, as_number);
  put(json, "answer_mean", e.answer_mean, as_number);
  put(json, "answer_variance", e.answer_variance, as_number);
  put(json, "reserve", e.reserve, as_number);
  put(json, "replaces", e.replaces, [](std::int64_t id) { return EventJson(id); });
  if (e.gold) json["gold"] = true;
  if (e.audit) json["audit"] = true;
  return json;
}
EventJson body(const Told& e) {
  EventJson json{{"id", e.id}, {"values", numbers(e.values)}, {"cost", number(e.cost)}};
  put(json, "channel", e.channel, [](const Channel& c) { return channel(c); });
  put(json, "row", e.row, [](Index row) { return EventJson(row); });
  put(json, "inputs", e.inputs, [](const std::vector<double>& inputs) { return numbers(inputs); });
  put(json, "base_noise", e.base_noise, as_number);
  if (!e.level.empty()) json["level"] = e.level;
  put(json, "alpha", e.alpha, as_number);
  put(json, "unasked", e.unasked, [](const Unasked& u) {
    EventJson inner = channel(u.channel);
    inner.update(EventJson{{"point", u.point}, {"cost", number(u.cost)}});
    return inner;
  });
  put(json, "queue_seconds", e.queue_seconds, as_number);
  put(json, "run_seconds", e.run_seconds, as_number);
  if (!e.worker.empty()) json["worker"] = e.worker;
  put(json, "seconds", e.seconds, as_number);
  if (!e.note.empty()) json["note"] = e.note;
  return json;
}
EventJson body(const Failed& e) {
  EventJson json{{"id", e.id}, {"reason", e.reason}, {"charge", number(e.charge)}};
  if (e.cannot_tell) json["cannot_tell"] = true;
  if (!e.worker.empty()) json["worker"] = e.worker;
  put(json, "seconds", e.seconds, as_number);
  if (e.inconclusive) json["inconclusive"] = true;
  return json;
}
EventJson body(const Renewed& e) {
  EventJson json{{"id", e.id}, {"lease_until", number(e.lease_until)}};
  if (!e.worker.empty()) json["worker"] = e.worker;
  return json;
}
EventJson body(const PersonAdded& e) {
  EventJson json{{"name", e.name}, {"active", e.active}};
  if (e.levels.size() == 1) json["level"] = e.levels.front();
  if (e.levels.size() > 1) json["levels"] = e.levels;
  return json;
}
EventJson body(const Audited& e) {
  return {{"ids", e.ids},
          {"mean", numbers(e.mean)},
          {"variance", numbers(e.variance)},
          {"noise", numbers(e.noise)}};
}
EventJson body(const Released& e) {
  return {{"id", e.id}, {"reason", e.reason}};
}
EventJson body(const Excluded& e) {
  EventJson json{{"row", e.row}, {"reason", e.reason}};
  if (!e.level.empty()) json["level"] = e.level;
  put(json, "alpha", e.alpha, as_number);
  return json;
}
EventJson body(const Amended& e) {
  EventJson json{{"id", e.id}, {"reason", e.reason}};
  if (!e.values.empty()) json["values"] = numbers(e.values);
  put(json, "cost", e.cost, as_number);
  put(json, "refund", e.refund, as_number);
  put(json, "channel", e.channel, [](const Channel& c) { return channel(c); });
  if (e.declared_channel) json["declared_channel"] = true;
  put(json, "row", e.row, [](Index row) { return EventJson(row); });
  put(json, "inputs", e.inputs, [](const std::vector<double>& inputs) { return numbers(inputs); });
  put(json, "base_noise", e.base_noise, as_number);
  if (!e.level.empty()) json["level"] = e.level;
  put(json, "alpha", e.alpha, as_number);
  return json;
}
EventJson body(const Retracted& e) {
  return {{"id", e.id}, {"reason", e.reason}};
}
EventJson body(const BudgetChanged& e) {
  return {{"by", number(e.by)}};
}
EventJson body(const Fitted& e) {
  EventJson json{{"annotations", e.annotations},
                 {"log_parameters", numbers(e.log_parameters)},
                 {"mean", number(e.mean)},
                 {"added_scale", number(e.added_scale)},
                 {"base_scale", number(e.base_scale)},
                 {"log_marginal_likelihood", number(e.log_marginal_likelihood)},
                 {"converged", e.converged},
                 {"reason", e.reason}};
  put(json, "kappa", e.kappa, as_number);
  put(json, "gamma", e.gamma, as_number);
  put(json, "nugget", e.nugget, as_number);
  if (e.noisier_nugget) {
    put(json, "noisier_nugget", e.noisier_nugget, as_number);
    put(json, "noisier_probability", e.noisier_probability, as_number);
    json["noisy"] = e.noisy;
  }
  put_structures(json, e.structures);
  put_chain(json, e.chain);
  put(json, "chain_weight", e.chain_weight, as_number);
  if (!e.level_scales.empty()) json["level_scales"] = numbers(e.level_scales);
  if (!e.smooth_sd.empty()) {
    json["smooth_sd"] = numbers(e.smooth_sd);
    json["bias_lengthscale"] = numbers(e.bias_lengthscale);
  }
  put(json, "mesh_order", e.mesh_order, as_number);
  if (!e.level_accuracy.empty()) {
    json["level_accuracy"] = numbers(e.level_accuracy);
    json["level_accuracy_sd"] = numbers(e.level_accuracy_sd);
  }
  if (!e.level_by_class.empty()) json["level_by_class"] = numbers(e.level_by_class);
  if (!e.people_by_class.empty()) json["people_by_class"] = numbers(e.people_by_class);
  if (!e.people.empty()) {
    json["people"] = e.people;
    json["people_levels"] = e.people_levels;
    json["people_accuracy"] = numbers(e.people_accuracy);
    json["people_accuracy_sd"] = numbers(e.people_accuracy_sd);
  }
  return json;
}
EventJson body(const OwnerChanged& e) {
  EventJson json{{"host", e.host}, {"process", e.process}, {"process_start", e.process_start}};
  if (!e.realm.empty()) json["realm"] = e.realm;
  put(json, "lease_until", e.lease_until, as_number);
  return json;
}
EventJson body(const StudyChanged& e) {
  EventJson json{{"study", e.study},
                 {"before", e.before},
                 {"study_checksum", e.study_checksum},
                 {"pool_checksum", e.pool_checksum},
                 {"pool_blocks", e.pool_blocks},
                 {"changes", e.changes},
                 {"name", e.name},
                 {"learns_again", e.learns_again},
                 {"plans_again", e.plans_again},
                 {"reinterprets", e.reinterprets}};
  put(json, "budget", e.budget, as_number);
  if (!e.tables.empty()) {
    json["tables"] = e.tables;
    json["table_checksums"] = e.table_checksums;
  }
  if (!e.kept_levels.empty()) {
    json["kept_levels"] = e.kept_levels;
    json["kept_noise"] = numbers(e.kept_noise);
  }
  return json;
}
EventJson body(const Planned& e) {
  EventJson json{{"lambda", number(e.lambda)},
                 {"remaining", number(e.remaining)},
                 {"expected", number(e.expected)},
                 {"expected_ratio", number(e.expected_ratio)}};
  if (!e.purchases.empty()) {
    json["purchases"] = numbers(e.purchases);
    json["purchases_ratio"] = numbers(e.purchases_ratio);
  }
  if (!e.costs.empty()) json["costs"] = numbers(e.costs);
  if (!e.note.empty()) json["note"] = e.note;
  return json;
}

/// The keys of one JSON object, each read by name and type. Keys that were not read are unknown.
class Fields {
 public:
  explicit Fields(const EventJson& json) : json_(json) {
    if (!json.is_object()) throw DamagedError("it is not a JSON object");
  }

  std::int64_t whole(const char* key) { return whole(key, at(key)); }
  double number(const char* key) { return number(key, at(key)); }
  std::string text(const char* key) { return text(key, at(key)); }
  bool truth(const char* key) {
    const EventJson& json = at(key);
    if (!json.is_boolean()) wrong(key, "true or false");
    return json.get<bool>();
  }
  std::vector<double> numbers(const char* key) {
    std::vector<double> values;
    for (const EventJson& one : list(key)) values.push_back(number(key, one));
    return values;
  }
  std::vector<std::int64_t> wholes(const char* key) {
    std::vector<std::int64_t> values;
    for (const EventJson& one : list(key)) values.push_back(whole(key, one));
    return values;
  }
  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> values;
    for (const EventJson& one : list(key)) values.push_back(text(key, one));
    return values;
  }
  Channel channel(const char* key) {
    Fields fields(at(key));
    const Channel found = fields.channel();
    fields.require_no_others();
    return found;
  }
  Unasked unasked(const char* key) {
    Fields fields(at(key));
    Unasked found{fields.text("point"), fields.channel(), fields.number("cost")};
    fields.require_no_others();
    return found;
  }
  /// The map of answers is that of the structure "transformed".
  std::vector<FittedStructure> structures() {
    std::vector<FittedStructure> found;
    if (!json_.contains("structures")) return found;
    const std::vector<std::string> names = texts("structures");
    const std::vector<std::int64_t> sizes = wholes("structure_sizes");
    const std::vector<double> parameters = numbers("structure_parameters"),
                              nugget = numbers("structure_nugget"),
                              objective = numbers("structure_objective"), map = numbers_or_none("answer_map");
    if (sizes.size() != names.size() || nugget.size() != names.size() || objective.size() != names.size())
      throw DamagedError("it has structures without a number, must have one of each for every structure");
    auto next = parameters.begin();
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (sizes[k] < 0 || sizes[k] > parameters.end() - next)
        wrong("structure_parameters", "as long as the sizes say");
      found.push_back({.name = names[k],
                       .log_parameters = std::vector<double>(next, next + sizes[k]),
                       .nugget = nugget[k],
                       .objective = objective[k]});
      next += sizes[k];
      if (names[k] == "transformed") found.back().map = map;
    }
    if (next != parameters.end()) wrong("structure_parameters", "as long as the sizes say");
    return found;
  }
  std::vector<FittedLink> chain() {
    std::vector<FittedLink> found;
    if (!json_.contains("chain_levels")) return found;
    const std::vector<std::string> levels = texts("chain_levels");
    const std::vector<std::int64_t> sizes = wholes("chain_sizes");
    const std::vector<double> parameters = numbers("chain_parameters"), values = numbers("chain_numbers");
    constexpr std::size_t each = 6;
    if (sizes.size() != levels.size() + 1 || values.size() != each * sizes.size())
      throw DamagedError("it has links of a chain without a number, must have all of each link");
    auto next = parameters.begin();
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      if (sizes[k] < 0 || sizes[k] > parameters.end() - next)
        wrong("chain_parameters", "as long as the sizes say");
      const double* of_link = values.data() + each * k;
      found.push_back({.level = k < levels.size() ? levels[k] : "",
                       .log_parameters = std::vector<double>(next, next + sizes[k]),
                       .nugget = of_link[0],
                       .mean = of_link[1],
                       .centre = of_link[2],
                       .spread = of_link[3],
                       .low = of_link[4],
                       .high = of_link[5]});
      next += sizes[k];
    }
    if (next != parameters.end()) wrong("chain_parameters", "as long as the sizes say");
    return found;
  }
  /// Calls read() if the key exists.
  template <typename Read>
  auto optional(const char* key, const Read& read) -> std::optional<decltype(read())> {
    if (!json_.contains(key)) return std::nullopt;
    return read();
  }
  std::optional<double> optional_number(const char* key) {
    return optional(key, [&] { return number(key); });
  }
  std::vector<double> numbers_or_none(const char* key) {
    return json_.contains(key) ? numbers(key) : std::vector<double>();
  }
  std::vector<std::string> texts_or_none(const char* key) {
    return json_.contains(key) ? texts(key) : std::vector<std::string>();
  }
  std::string text_or_empty(const char* key) { return json_.contains(key) ? text(key) : std::string(); }
  bool truth_or_false(const char* key) { return json_.contains(key) && truth(key); }

  void require_no_others() const {
    for (const auto& [key, value] : json_.items())
      if (std::find(read_.begin(), read_.end(), key) == read_.end())
        throw NewerVersionError(fmt::format("has \"{}\"", printable(key, 60)));
  }

 private:
  Channel channel() {
    if (json_.contains("accuracy")) return FlipChannel{number("accuracy")};
    if (json_.contains("accuracy_yes")) return FlipChannel{number("accuracy_yes"), number("accuracy_no")};
    return GaussianChannel{number("noise_variance")};
  }
  [[noreturn]] static void wrong(const char* key, const char* required) {
    throw DamagedError(fmt::format("\"{}\" is not {}", key, required));
  }
  static double number(const char* key, const EventJson& json) {
    if (json == "inf") return std::numeric_limits<double>::infinity();
    if (json == "-inf") return -std::numeric_limits<double>::infinity();
    if (!json.is_number()) wrong(key, "a number");
    return json.get<double>();
  }
  static std::int64_t whole(const char* key, const EventJson& json) {
    const bool fits = !json.is_number_unsigned() ||
                      json.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    if (!json.is_number_integer() || !fits) wrong(key, "a whole number");
    return json.get<std::int64_t>();
  }
  static std::string text(const char* key, const EventJson& json) {
    if (!json.is_string()) wrong(key, "text");
    return json.get<std::string>();
  }
  const EventJson& list(const char* key) {
    const EventJson& json = at(key);
    if (!json.is_array()) wrong(key, "a list");
    return json;
  }
  const EventJson& at(const char* key) {
    const auto found = json_.find(key);
    if (found == json_.end()) throw DamagedError(fmt::format("\"{}\" is missing", key));
    read_.emplace_back(key);
    return *found;
  }

  const EventJson& json_;
  std::vector<std::string_view> read_;
};

void read(Fields& j, Created& e) {
  e = {j.text("version"),       j.text("name"),        j.text("unit"),  j.text("study_checksum"),
       j.text("pool_checksum"), j.number("budget"),    j.text("study"), j.text("study_folder"),
       j.text("pool_file"),     j.texts("pool_blocks")};
}
void read(Fields& j, Asked& e) {
  e.id = j.whole("id");
  e.row = j.whole("row");
  e.point = j.text("point");
  e.level = j.text_or_empty("level");
  e.alpha = j.optional_number("alpha");
  e.channel = j.channel("channel");
  e.cost = j.number("cost");
  e.information = j.number("information");
  e.mean = j.number("mean");
  e.variance = j.number("variance");
  e.worker = j.text_or_empty("worker");
  e.lease_until = j.optional_number("lease_until");
  e.answer_mean = j.optional_number("answer_mean");
  e.answer_variance = j.optional_number("answer_variance");
  e.reserve = j.optional_number("reserve");
  e.replaces = j.optional("replaces", [&] { return j.whole("replaces"); });
  e.gold = j.truth_or_false("gold");
  e.audit = j.truth_or_false("audit");
}
void read(Fields& j, Told& e) {
  e.id = j.whole("id");
  e.values = j.numbers("values");
  e.cost = j.number("cost");
  e.channel = j.optional("channel", [&] { return j.channel("channel"); });
  e.row = j.optional("row", [&] { return Index{j.whole("row")}; });
  e.inputs = j.optional("inputs", [&] { return j.numbers("inputs"); });
  e.base_noise = j.optional_number("base_noise");
  e.level = j.text_or_empty("level");
  e.alpha = j.optional_number("alpha");
  e.unasked = j.optional("unasked", [&] { return j.unasked("unasked"); });
  e.queue_seconds = j.optional_number("queue_seconds");
  e.run_seconds = j.optional_number("run_seconds");
  e.worker = j.text_or_empty("worker");
  e.seconds = j.optional_number("seconds");
  e.note = j.text_or_empty("note");
}
void read(Fields& j, Failed& e) {
  e = {j.whole("id"),
       j.text("reason"),
       j.number("charge"),
       j.truth_or_false("cannot_tell"),
       j.text_or_empty("worker"),
       j.optional_number("seconds"),
       j.truth_or_false("inconclusive")};
}
void read(Fields& j, Renewed& e) {
  e = {j.whole("id"), j.number("lease_until"), j.text_or_empty("worker")};
}
void read(Fields& j, PersonAdded& e) {
  e = {j.text("name"), j.texts_or_none("levels"), j.truth("active")};
  if (const std::string level = j.text_or_empty("level"); !level.empty()) e.levels.push_back(level);
}
void read(Fields& j, Audited& e) {
  e = {j.wholes("ids"), j.numbers("mean"), j.numbers("variance"), j.numbers("noise")};
}
void read(Fields& j, Released& e) {
  e = {j.whole("id"), j.text("reason")};
}
void read(Fields& j, Excluded& e) {
  e = {j.whole("row"), j.text_or_empty("level"), j.optional_number("alpha"), j.text("reason")};
}
void read(Fields& j, Amended& e) {
  e.id = j.whole("id");
  e.values = j.numbers_or_none("values");
  e.reason = j.text("reason");
  e.cost = j.optional_number("cost");
  e.refund = j.optional_number("refund");
  e.channel = j.optional("channel", [&] { return j.channel("channel"); });
  e.declared_channel =
      j.optional("declared_channel", [&] { return j.truth("declared_channel"); }).value_or(false);
  e.row = j.optional("row", [&] { return Index{j.whole("row")}; });
  e.inputs = j.optional("inputs", [&] { return j.numbers("inputs"); });
  e.base_noise = j.optional_number("base_noise");
  e.level = j.text_or_empty("level");
  e.alpha = j.optional_number("alpha");
}
void read(Fields& j, Retracted& e) {
  e = {j.whole("id"), j.text("reason")};
}
void read(Fields& j, BudgetChanged& e) {
  e.by = j.number("by");
}
void read(Fields& j, Fitted& e) {
  e.annotations = j.whole("annotations");
  e.log_parameters = j.numbers("log_parameters");
  e.mean = j.number("mean");
  e.added_scale = j.number("added_scale");
  e.base_scale = j.number("base_scale");
  e.kappa = j.optional_number("kappa");
  e.gamma = j.optional_number("gamma");
  e.nugget = j.optional_number("nugget");
  e.noisier_nugget = j.optional_number("noisier_nugget");
  e.noisier_probability = j.optional_number("noisier_probability");
  e.noisy = j.optional("noisy", [&] { return j.truth("noisy"); }).value_or(false);
  e.structures = j.structures();
  e.chain = j.chain();
  e.chain_weight = j.optional_number("chain_weight");
  e.level_scales =
      j.optional("level_scales", [&] { return j.numbers("level_scales"); }).value_or(e.level_scales);
  e.smooth_sd = j.optional("smooth_sd", [&] { return j.numbers("smooth_sd"); }).value_or(e.smooth_sd);
  e.bias_lengthscale = j.optional("bias_lengthscale", [&] {
                          return j.numbers("bias_lengthscale");
                        }).value_or(e.bias_lengthscale);
  e.mesh_order = j.optional_number("mesh_order");
  e.level_accuracy = j.numbers_or_none("level_accuracy");
  e.level_accuracy_sd = j.numbers_or_none("level_accuracy_sd");
  e.level_by_class = j.numbers_or_none("level_by_class");
  e.people_by_class = j.numbers_or_none("people_by_class");
  e.people = j.texts_or_none("people");
  e.people_levels = j.texts_or_none("people_levels");
  e.people_accuracy = j.numbers_or_none("people_accuracy");
  e.people_accuracy_sd = j.numbers_or_none("people_accuracy_sd");
  e.log_marginal_likelihood = j.number("log_marginal_likelihood");
  e.converged = j.truth("converged");
  e.reason = j.text("reason");
}
void read(Fields& j, OwnerChanged& e) {
  e = {j.text("host"), j.whole("process"), j.whole("process_start"), j.text_or_empty("realm"),
       j.optional_number("lease_until")};
}
void read(Fields& j, StudyChanged& e) {
  e.study = j.text("study");
  e.before = j.text("before");
  e.study_checksum = j.text("study_checksum");
  e.pool_checksum = j.text("pool_checksum");
  e.pool_blocks = j.texts("pool_blocks");
  e.changes = j.texts("changes");
  e.name = j.text("name");
  e.learns_again = j.truth("learns_again");
  e.plans_again = j.truth("plans_again");
  e.reinterprets = j.truth("reinterprets");
  e.budget = j.optional_number("budget");
  e.tables = j.optional("tables", [&] { return j.texts("tables"); }).value_or(e.tables);
  e.table_checksums =
      j.optional("table_checksums", [&] { return j.texts("table_checksums"); }).value_or(e.table_checksums);
  e.kept_levels = j.optional("kept_levels", [&] { return j.texts("kept_levels"); }).value_or(e.kept_levels);
  e.kept_noise = j.numbers_or_none("kept_noise");
}

void read(Fields& j, Planned& e) {
  e.lambda = j.number("lambda");
  e.remaining = j.number("remaining");
  e.expected = j.number("expected");
  e.expected_ratio = j.number("expected_ratio");
  e.purchases = j.optional("purchases", [&] { return j.numbers("purchases"); }).value_or(e.purchases);
  e.purchases_ratio =
      j.optional("purchases_ratio", [&] { return j.numbers("purchases_ratio"); }).value_or(e.purchases_ratio);
  e.costs = j.optional("costs", [&] { return j.numbers("costs"); }).value_or(e.costs);
  e.note = j.text_or_empty("note");
}

// Events are flat except for lists and a channel.
EventJson parsed(const std::string& text) {
  JsonFlaw flaw = JsonFlaw::none;
  EventJson json = shallow_json_in(text, flaw);
  switch (flaw) {
    case JsonFlaw::none:
      break;
    case JsonFlaw::nested:
      throw DamagedError("it is nested more deeply than any event");
    case JsonFlaw::invalid:
      throw DamagedError("it is not valid JSON, or has a number that is too large");
    case JsonFlaw::repeated_key:
      throw DamagedError("a key occurs twice");
  }
  return json;
}

// In the order of the variant.
constexpr const char* names[] = {"created", "asked",     "told",   "failed", "released", "excluded",
                                 "amended", "retracted", "budget", "fitted", "owner",    "planned",
                                 "changed", "renewed",   "person", "audited"};
static_assert(std::size(names) == std::variant_size_v<Event>);

template <std::size_t... I>
std::optional<Event> read_named(const std::string& name, const EventJson& json, std::index_sequence<I...>) {
  std::optional<Event> found;
  const auto try_one = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
    if (name != names[K]) return;
    std::variant_alternative_t<K, Event> event;
    Fields fields(json);
    read(fields, event);
    fields.require_no_others();
    found = std::move(event);
  };
  (try_one(std::integral_constant<std::size_t, I>{}), ...);
  return found;
}

}  // namespace

std::string event_name(const Event& event) {
  return names[event.index()];
}

std::string to_json(const Event& event) {
  return std::visit([](const auto& e) { return body(e); }, event).dump();
}

Event event_from_json(const std::string& name, const std::string& json) {
  if (std::find(std::begin(names), std::end(names), name) == std::end(names))
    throw NewerVersionError(fmt::format("is \"{}\"", printable(name, 60)));
  try {
    return *read_named(name, parsed(json), std::make_index_sequence<std::variant_size_v<Event>>{});
  } catch (const NewerVersionError& error) {
    throw NewerVersionError(fmt::format("(\"{}\") {}", name, error.what()));
  } catch (const DamagedError& error) {
    throw DamagedError(fmt::format("(\"{}\") cannot be read: {}", name, error.what()));
  }
}

}  // namespace acuity
