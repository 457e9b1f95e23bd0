#include "service/request_body.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "service/http_message.hpp"
#include "text/duration.hpp"
#include "text/json.hpp"

namespace acuity {

namespace {

[[noreturn]] void complain(const std::string& name, const Json& found, const std::string& required) {
  throw HttpProblem(400, fmt::format("\"{}\" is {}, must be {}", name, shown_json(found), required));
}

Json parsed(const std::string& text) {
  if (text.empty()) return Json::object();
  Json json = json_in(text);
  if (json.is_discarded())
    throw HttpProblem(400,
                      fmt::format("the body of the request {}, must be a JSON object", why_no_json(text)));
  if (!json.is_object()) throw HttpProblem(400, "the body of the request is not a JSON object");
  return json;
}

std::string answer_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return shortest(value.get<double>());
  complain("y", value, "a number, a class or a list of these");
}

std::int64_t id_of(const std::string& name, const Json& value) {
  // Above 2^63 it would be read as a negative number.
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX))
    complain(name, value, "the number of a suggestion");
  return value.get<std::int64_t>();
}

}  // namespace

RequestBody::RequestBody(const std::string& text, std::vector<std::string> known) : object_(parsed(text)) {
  require_known(known);
}

RequestBody::RequestBody(Json object, std::vector<std::string> known) : object_(std::move(object)) {
  if (!object_.is_object())
    throw HttpProblem(400, "the request has something else where a JSON object is required");
  require_known(known);
}

void RequestBody::require_known(const std::vector<std::string>& known) const {
  for (const auto& [name, value] : object_.items())
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw HttpProblem(400, fmt::format("the request has a field \"{}\", must be one of {}",
                                         printable(name, 40), fmt::join(known, ", ")));
}

const Json* RequestBody::find(const std::string& name) const {
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<double> RequestBody::number(const std::string& name) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number() || !std::isfinite(value->get<double>())) complain(name, *value, "a finite number");
  return value->get<double>();
}

std::optional<std::int64_t> RequestBody::whole(const std::string& name) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number_integer() || (value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX))
    complain(name, *value, "a whole number");
  return value->get<std::int64_t>();
}

std::optional<std::string> RequestBody::text(const std::string& name) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) complain(name, *value, "a text");
  return value->get<std::string>();
}

std::vector<std::string> RequestBody::texts(const std::string& name) const {
  const Json* list = find(name);
  if (list == nullptr) return {};
  const bool fits = list->is_array() &&
                    std::all_of(list->begin(), list->end(), [](const Json& one) { return one.is_string(); });
  if (!fits) complain(name, *list, "a list of texts");
  return list->get<std::vector<std::string>>();
}

bool RequestBody::flag(const std::string& name) const {
  const Json* value = find(name);
  if (value == nullptr) return false;
  if (!value->is_boolean()) complain(name, *value, "true or false");
  return value->get<bool>();
}

std::optional<double> RequestBody::duration(const std::string& name) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  const std::optional<double> seconds = value->is_string()   ? to_seconds(value->get<std::string>())
                                        : value->is_number() ? std::optional(value->get<double>())
                                                             : std::nullopt;
  if (!seconds || !(*seconds > 0.0 && *seconds < 1e9))
    complain(name, *value, "a number of seconds above 0, or a text such as \"2h\"");
  return seconds;
}

std::int64_t RequestBody::required_id() const {
  const Json* value = find("id");
  if (value == nullptr)
    throw HttpProblem(400, "the request has no \"id\", must have the number of a suggestion");
  return id_of("id", *value);
}

std::vector<std::int64_t> RequestBody::required_ids() const {
  const Json* list = find("ids");
  if (list == nullptr) return {required_id()};
  if (!list->is_array() || list->empty()) complain("ids", *list, "a list of numbers of suggestions");
  std::vector<std::int64_t> ids;
  for (const Json& one : *list) ids.push_back(id_of("ids", one));
  return ids;
}

std::vector<std::string> RequestBody::answers() const {
  const Json *value = find("y"), *count = find("k"), *trials = find("n");
  if (count != nullptr || trials != nullptr) {
    if (value != nullptr) complain("y", *value, "left out where k and n are given");
    if (count == nullptr || !count->is_number()) complain("k", count ? *count : Json(), "a number, with n");
    if (trials == nullptr || !trials->is_number())
      complain("n", trials ? *trials : Json(), "a number, with k");
    return {shortest(count->get<double>()) + "/" + shortest(trials->get<double>())};
  }
  if (value == nullptr) return {};
  if (!value->is_array()) return {answer_text(*value)};
  std::vector<std::string> answers;
  for (const Json& one : *value) answers.push_back(answer_text(one));
  return answers;
}

}  // namespace acuity
