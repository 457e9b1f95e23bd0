#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace acuity {

// Parsing and writing JSON are here alone: each is a large template, and compiling it once is enough.

/// A JSON object that keeps the order in which keys were added.
using Json = nlohmann::ordered_json;
/// A JSON object that sorts its keys.
using SortedJson = nlohmann::json;

/// The value of a text, discarded (is_discarded()) if the text is not JSON. `nests_too_deep`
/// (annotation/file_end.hpp) must be asked first for text from elsewhere.
Json json_in(std::string_view text);
SortedJson sorted_json_in(std::string_view text);

/// A number as JSON; infinity, which JSON does not have, becomes the text "inf" or "-inf".
Json json_number(double value);
/// The number as JSON, or null if absent.
Json json_number(const std::optional<double>& value);
/// A list of such numbers, from an Eigen vector or a std::vector.
template <typename Numbers>
Json json_numbers(const Numbers& numbers) {
  Json list = Json::array();
  for (const double number : numbers) list.push_back(json_number(number));
  return list;
}

/// JSON on one line, or with this indentation on several, without a line end. Numbers have enough digits to
/// read back exactly; bytes that are not UTF-8 become U+FFFD.
std::string json_text(const Json& json, int indentation = -1);
std::string sorted_json_text(const SortedJson& json, int indentation = -1);

}  // namespace acuity
