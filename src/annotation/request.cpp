#include "annotation/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "numerics/random.hpp"
#include "text/json.hpp"

namespace acuity {

namespace {

using OrderedJson = Json;

OrderedJson number(double value) {
  return std::isinf(value) ? OrderedJson(shortest(value)) : OrderedJson(value);
}

OrderedJson json_of(const LevelValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return number(*real);
  return std::visit([](const auto& scalar) { return OrderedJson(scalar); }, value);
}

}  // namespace

Request make_request(const Suggestion& suggestion, int attempt, std::vector<Input> inputs,
                     std::uint64_t study_seed) {
  const std::uint64_t key = numerics::draw_key(study_seed, numerics::Purpose::annotator_seed, 0,
                                               static_cast<std::uint64_t>(suggestion.id));
  // Many programs store seeds in signed 32 bits, and take 0 for a seed from the clock.
  constexpr std::uint64_t seeds = (std::uint64_t{1} << 31) - 1;
  return {.suggestion = suggestion,
          .attempt = attempt,
          .inputs = std::move(inputs),
          .seed = static_cast<std::uint32_t>(1 + key % seeds)};
}

std::string to_json(const Request& request) {
  const Suggestion& asked = request.suggestion;
  OrderedJson inputs = OrderedJson::object();
  for (std::size_t k = 0; k < request.inputs.size(); ++k)
    inputs[request.inputs[k].name] = request.inputs[k].is_named()
                                         ? OrderedJson(request.inputs[k].text(asked.inputs[k]))
                                         : number(asked.inputs[k]);
  OrderedJson json{
      {"id", asked.id}, {"attempt", request.attempt}, {"point", asked.point}, {"inputs", inputs}};
  if (!asked.level.alpha) json["level"] = asked.level.name;
  json["value"] = json_of(value_of(asked.level));
  if (asked.level.alpha) json["alpha"] = number(*asked.level.alpha);
  json["cost"] = number(asked.cost);
  json["seed"] = request.seed;
  for (const auto& [name, cell] : request.columns) json["columns"][name] = cell;
  if (asked.resume_from) {
    json["resume_id"] = *asked.resume_from;
    if (!request.resume_folder.empty()) json["resume_from"] = request.resume_folder;
  }
  return json_text(json);  // names come from files, in any encoding
}

std::vector<std::pair<std::string, std::string>> environment_of(const Request& request) {
  const Suggestion& asked = request.suggestion;
  std::vector<std::pair<std::string, std::string>> all{
      {"ACUITY_ID", std::to_string(asked.id)}, {"ACUITY_ATTEMPT", std::to_string(request.attempt)},
      {"ACUITY_POINT", asked.point},           {"ACUITY_VALUE", to_text(value_of(asked.level))},
      {"ACUITY_COST", shortest(asked.cost)},   {"ACUITY_SEED", std::to_string(request.seed)}};
  if (asked.level.alpha)
    all.emplace_back("ACUITY_ALPHA", shortest(*asked.level.alpha));
  else
    all.emplace_back("ACUITY_LEVEL", asked.level.name);
  if (asked.resume_from) {
    all.emplace_back("ACUITY_RESUME_ID", std::to_string(*asked.resume_from));
    if (!request.resume_folder.empty()) all.emplace_back("ACUITY_RESUME_FROM", request.resume_folder);
  }
  for (std::size_t k = 0; k < request.inputs.size(); ++k)
    all.emplace_back(input_variable(request.inputs[k].name),
                     input_text_for_programs(request.inputs[k], asked.inputs[k]));
  constexpr std::size_t longest = std::size_t{64} << 10;
  for (const auto& [name, cell] : request.columns) {
    const std::string variable = input_variable(name);
    const auto is_same = [&](const auto& other) { return other.first == variable; };
    if (cell.size() <= longest && std::none_of(all.begin(), all.end(), is_same))
      all.emplace_back(variable, cell);
  }
  return all;
}

std::string input_text_for_programs(const Input& input, double value) {
  return input.is_named() ? input.text(value) : shortest(value);
}

std::string input_variable(std::string_view input) {
  std::string name = "ACUITY_X_";
  for (const char c : input) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80) continue;  // continuation byte of a UTF-8 character, which becomes one _
    if (c >= 'a' && c <= 'z')
      name += static_cast<char>(c - 'a' + 'A');
    else
      name += (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
  }
  return name;
}

LevelValue value_of(const Level& level) {
  return level.alpha ? LevelValue(*level.alpha) : level.value;
}

std::string to_text(const LevelValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* real = std::get_if<double>(&value)) return shortest(*real);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return std::get<bool>(value) ? "true" : "false";
}

std::string attempt_folder_name(std::int64_t id, int attempt) {
  return fmt::format("{:06}-{}", id, attempt);
}

}  // namespace acuity
