#include "text/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "acuity/base/errors.hpp"
#include "text/number_text.hpp"

namespace acuity {

namespace {

constexpr std::size_t longest_shown = 60, most_shown = 4;

// Up to the first error this reads quotes and brackets as the parser does, and after it nothing is parsed.
bool json_nests_too_deep(std::string_view text) {
  bool quoted = false;
  int depth = 0;
  for (std::size_t at = 0; at < text.size() && depth <= deepest_json; ++at) {
    const char c = text[at];
    if (quoted && c == '\\')
      ++at;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted)
      depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
  }
  return depth > deepest_json;
}

template <typename Value>
Value limited_json(std::string_view text) {
  if (text.size() > largest_json || json_nests_too_deep(text)) return Value(Value::value_t::discarded);
  return Value::parse(text.begin(), text.end(), nullptr, false);
}

template <typename Value>
std::string short_json(const Value& json) {
  if (json.is_string())
    return printable('"' + json.template get_ref<const std::string&>().substr(0, longest_shown + 1) + '"',
                     longest_shown);
  const bool fits =
      !json.is_structured() ||
      (json.size() <= most_shown && std::none_of(json.begin(), json.end(), [](const Value& one) {
         return one.is_structured() ||
                (one.is_string() && one.template get_ref<const std::string&>().size() > longest_shown);
       }));
  if (!fits) return json.is_array() ? "[...]" : "{...}";
  return printable(json.dump(-1, ' ', false, Value::error_handler_t::replace), longest_shown);
}

}  // namespace

Json json_number(double value) {
  return std::isfinite(value) ? Json(value) : Json(exact(value));
}

Json json_number(const std::optional<double>& value) {
  return value ? json_number(*value) : Json();
}

Json json_in(std::string_view text) {
  return limited_json<Json>(text);
}

SortedJson sorted_json_in(std::string_view text) {
  return limited_json<SortedJson>(text);
}

std::string why_no_json(std::string_view text) {
  if (text.size() > largest_json)
    return fmt::format("has {} bytes, must have {} at most", text.size(), largest_json);
  if (json_nests_too_deep(text)) return fmt::format("is nested more deeply than {} levels", deepest_json);
  return "is no JSON";
}

SortedJson shallow_json_in(std::string_view text, JsonFlaw& flaw) {
  constexpr int deepest = 1;
  using Step = SortedJson::parse_event_t;
  struct Nested {};
  std::size_t keys = 0;
  const auto watch = [&keys](int depth, Step step, SortedJson&) {
    // Before it uses memory.
    if ((step == Step::object_start || step == Step::array_start) && depth > deepest) throw Nested();
    if (step == Step::key) ++keys;
    return true;
  };
  SortedJson json;
  try {
    json = SortedJson::parse(text.begin(), text.end(), watch);
  } catch (const Nested&) {
    flaw = JsonFlaw::nested;
    return {};
  } catch (const SortedJson::exception&) {
    flaw = JsonFlaw::invalid;
    return {};
  }
  std::size_t kept = json.is_object() ? json.size() : 0;
  for (const SortedJson& value : json)
    if (value.is_object()) kept += value.size();
  flaw = kept == keys ? JsonFlaw::none : JsonFlaw::repeated_key;
  return json;
}

std::string json_text(const Json& json, int indentation) {
  return json.dump(indentation, ' ', false, Json::error_handler_t::replace);
}

std::string sorted_json_text(const SortedJson& json, int indentation) {
  return json.dump(indentation, ' ', false, SortedJson::error_handler_t::replace);
}

std::string shown_json(const Json& json) {
  return short_json(json);
}

std::string shown_json(const SortedJson& json) {
  return short_json(json);
}

}  // namespace acuity
