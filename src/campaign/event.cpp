#include "acuity/campaign/event.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "acuity/numerics/errors.hpp"

namespace acuity {

namespace {

using Json = nlohmann::json;

// JSON knows no infinity; a channel or an alpha may be infinite.
Json number(double value) {
  if (std::isinf(value)) return value > 0.0 ? "inf" : "-inf";
  return value;
}

double number(const Json& json) {
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  return json.get<double>();
}

std::vector<double> numbers(const Json& json) {
  std::vector<double> values;
  for (const Json& one : json) values.push_back(number(one));
  return values;
}

Json numbers(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(number(value));
  return json;
}

Json channel(const Channel& channel) {
  if (const auto* flip = std::get_if<FlipChannel>(&channel)) return {{"accuracy", number(flip->accuracy)}};
  return {{"noise_variance", number(std::get<GaussianChannel>(channel).noise_variance)}};
}

Channel channel(const Json& json) {
  if (json.contains("accuracy")) return FlipChannel{number(json.at("accuracy"))};
  return GaussianChannel{number(json.at("noise_variance"))};
}

template <typename Value, typename Encode>
void put(Json& json, const char* key, const std::optional<Value>& value, const Encode& encode) {
  if (value) json[key] = encode(*value);
}

const auto plain = [](double value) { return number(value); };

template <typename Decode>
auto get(const Json& json, const char* key, const Decode& decode) -> std::optional<decltype(decode(json))> {
  if (!json.contains(key)) return std::nullopt;
  return decode(json.at(key));
}

const auto to_number = [](const Json& json) { return number(json); };

Json body(const Created& e) {
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
Json body(const Asked& e) {
  Json json{{"id", e.id},
            {"row", e.row},
            {"point", e.point},
            {"channel", channel(e.channel)},
            {"cost", number(e.cost)},
            {"information", number(e.information)},
            {"mean", number(e.mean)},
            {"variance", number(e.variance)}};
  if (!e.level.empty()) json["level"] = e.level;
  put(json, "alpha", e.alpha, plain);
  if (!e.worker.empty()) json["worker"] = e.worker;
  put(json, "lease_until", e.lease_until, plain);
  return json;
}
Json body(const Told& e) {
  Json json{{"id", e.id}, {"values", numbers(e.values)}, {"cost", number(e.cost)}};
  put(json, "channel", e.channel, [](const Channel& c) { return channel(c); });
  put(json, "row", e.row, [](Index row) { return Json(row); });
  put(json, "inputs", e.inputs, [](const std::vector<double>& inputs) { return numbers(inputs); });
  put(json, "base_noise", e.base_noise, plain);
  if (!e.level.empty()) json["level"] = e.level;
  put(json, "alpha", e.alpha, plain);
  return json;
}
Json body(const Failed& e) {
  return {{"id", e.id}, {"reason", e.reason}, {"charge", number(e.charge)}};
}
Json body(const Released& e) {
  return {{"id", e.id}, {"reason", e.reason}};
}
Json body(const Excluded& e) {
  Json json{{"row", e.row}, {"reason", e.reason}};
  if (!e.level.empty()) json["level"] = e.level;
  put(json, "alpha", e.alpha, plain);
  return json;
}
Json body(const Amended& e) {
  return {{"id", e.id}, {"values", numbers(e.values)}, {"reason", e.reason}};
}
Json body(const Retracted& e) {
  return {{"id", e.id}, {"reason", e.reason}};
}
Json body(const BudgetChanged& e) {
  return {{"by", number(e.by)}};
}
Json body(const Fitted& e) {
  Json json{{"annotations", e.annotations},
            {"log_parameters", numbers(e.log_parameters)},
            {"mean", number(e.mean)},
            {"added_scale", number(e.added_scale)},
            {"base_scale", number(e.base_scale)},
            {"log_marginal_likelihood", number(e.log_marginal_likelihood)},
            {"converged", e.converged},
            {"reason", e.reason}};
  put(json, "kappa", e.kappa, plain);
  put(json, "gamma", e.gamma, plain);
  return json;
}
Json body(const OwnerChanged& e) {
  return {{"host", e.host}, {"process", e.process}, {"process_start", e.process_start}};
}

std::string text(const Json& json, const char* key) {
  return json.contains(key) ? json.at(key).get<std::string>() : std::string();
}

void read(const Json& j, Created& e) {
  e = {j.at("version"),       j.at("name"),           j.at("unit"),  j.at("study_checksum"),
       j.at("pool_checksum"), number(j.at("budget")), j.at("study"), j.at("study_folder"),
       j.at("pool_file"),     j.at("pool_blocks")};
}
void read(const Json& j, Asked& e) {
  e.id = j.at("id");
  e.row = j.at("row");
  e.point = j.at("point");
  e.level = text(j, "level");
  e.alpha = get(j, "alpha", to_number);
  e.channel = channel(j.at("channel"));
  e.cost = number(j.at("cost"));
  e.information = number(j.at("information"));
  e.mean = number(j.at("mean"));
  e.variance = number(j.at("variance"));
  e.worker = text(j, "worker");
  e.lease_until = get(j, "lease_until", to_number);
}
void read(const Json& j, Told& e) {
  e.id = j.at("id");
  e.values = numbers(j.at("values"));
  e.cost = number(j.at("cost"));
  e.channel = get(j, "channel", [](const Json& c) { return channel(c); });
  e.row = get(j, "row", [](const Json& row) { return row.get<Index>(); });
  e.inputs = get(j, "inputs", [](const Json& inputs) { return numbers(inputs); });
  e.base_noise = get(j, "base_noise", to_number);
  e.level = text(j, "level");
  e.alpha = get(j, "alpha", to_number);
}
void read(const Json& j, Failed& e) {
  e = {j.at("id"), j.at("reason"), number(j.at("charge"))};
}
void read(const Json& j, Released& e) {
  e = {j.at("id"), j.at("reason")};
}
void read(const Json& j, Excluded& e) {
  e = {j.at("row"), text(j, "level"), get(j, "alpha", to_number), j.at("reason")};
}
void read(const Json& j, Amended& e) {
  e = {j.at("id"), numbers(j.at("values")), j.at("reason")};
}
void read(const Json& j, Retracted& e) {
  e = {j.at("id"), j.at("reason")};
}
void read(const Json& j, BudgetChanged& e) {
  e.by = number(j.at("by"));
}
void read(const Json& j, Fitted& e) {
  e.annotations = j.at("annotations");
  e.log_parameters = numbers(j.at("log_parameters"));
  e.mean = number(j.at("mean"));
  e.added_scale = number(j.at("added_scale"));
  e.base_scale = number(j.at("base_scale"));
  e.kappa = get(j, "kappa", to_number);
  e.gamma = get(j, "gamma", to_number);
  e.log_marginal_likelihood = number(j.at("log_marginal_likelihood"));
  e.converged = j.at("converged");
  e.reason = j.at("reason");
}
void read(const Json& j, OwnerChanged& e) {
  e = {j.at("host"), j.at("process"), j.at("process_start")};
}

// In the order of the variant.
constexpr const char* names[] = {"created", "asked",     "told",   "failed", "released", "excluded",
                                 "amended", "retracted", "budget", "fitted", "owner"};
static_assert(std::size(names) == std::variant_size_v<Event>);

template <std::size_t... I>
std::optional<Event> read_named(const std::string& name, const Json& json, std::index_sequence<I...>) {
  std::optional<Event> found;
  const auto try_one = [&]<std::size_t K>(std::integral_constant<std::size_t, K>) {
    if (name != names[K]) return;
    std::variant_alternative_t<K, Event> event;
    read(json, event);
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
  try {
    std::optional<Event> found =
        read_named(name, Json::parse(json), std::make_index_sequence<std::variant_size_v<Event>>{});
    if (found) return std::move(*found);
  } catch (const Json::exception& error) {
    throw DamagedError(fmt::format("an event \"{}\" of the log cannot be read ({})", name, error.what()));
  }
  throw DamagedError(fmt::format("an event of the log is \"{}\", must be one this version knows", name));
}

}  // namespace acuity
