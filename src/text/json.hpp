#pragma once

#include <cstddef>
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

// Text from elsewhere may be made to harm: writing and destroying a value take stack for every level of its
// nesting, so that what is parsed is limited here for all who read such text.

/// Brackets within brackets, and bytes of a text, that are parsed at most.
constexpr int deepest_json = 64;
constexpr std::size_t largest_json = std::size_t{64} << 20;

/// The value of a text, discarded (is_discarded()) if the text is not JSON, is nested more deeply or is
/// larger. The text may come from anywhere.
Json json_in(std::string_view text);
SortedJson sorted_json_in(std::string_view text);

/// Why a text was discarded, to follow its name: "is nested more deeply than 64 levels", "is no JSON".
std::string why_no_json(std::string_view text);

/// What is wrong with a text of a strict format.
enum class JsonFlaw { none, nested, invalid, repeated_key };

/// The object in a text, which may contain lists and objects of values but no deeper nesting, and no key
/// twice, which would be ambiguous. `flaw` says what is wrong otherwise.
SortedJson shallow_json_in(std::string_view text, JsonFlaw& flaw);

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

/// A value from elsewhere as messages show it: on one line, safe to print, and short. Lists and objects that
/// are long or nested are [...] and {...}.
std::string shown_json(const Json& json);
std::string shown_json(const SortedJson& json);

}  // namespace acuity
